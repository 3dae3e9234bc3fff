//! Walkers: the elements of an object, each with its address, in document order.

pub mod filter;
mod ingress;
pub mod route;
pub mod rule;

pub use ingress::*;
