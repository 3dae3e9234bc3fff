//! Walkers: the elements of an object, each with its address, in document order.

pub mod backend_tls_policy;
mod ingress;
pub mod listener;
pub mod reference_grant;
pub mod route;

pub use ingress::*;
