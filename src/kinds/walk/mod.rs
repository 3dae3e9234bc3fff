//! Walkers: the elements of an object, each with its address, in document order.

mod ingress;
pub mod listener;
pub mod route;

pub use ingress::*;
