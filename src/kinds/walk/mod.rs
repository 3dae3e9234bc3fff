//! Walkers: the elements of an object, each with its address, in document order.

pub mod host;
mod ingress;
pub mod route;

pub use ingress::*;
