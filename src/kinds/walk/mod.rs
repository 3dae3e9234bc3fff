//! Walkers: the elements of an object, each with its address, in document order.

pub mod gateway;
mod ingress;
pub mod route;

pub use ingress::*;
