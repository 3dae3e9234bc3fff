//! Serving certificates with nothing else installed.
//!
//! One Secret holds the authorities, and the caBundle of each webhook entry that calls our Service holds their certificates.
//! Each replica issues its own certificate in memory; only the holder of the Lease rotates authorities. `rotation` decides
//! and is pure; `authority` knows X.509, `secret` and `bundle` the two places in the cluster, and `reconcile` is the loop around
//! them. `status` says how it goes.

mod authority;
mod bundle;
mod reconcile;
pub mod rotation;
mod secret;
mod status;

pub use reconcile::{Issuer, IssuerOptions};
