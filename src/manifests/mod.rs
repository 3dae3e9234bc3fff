//! The manifests that follow from the table of kinds: the webhooks that the API server calls, and the objects that
//! Portcullis may read.
//!
//! The texts are identical to `manifests/webhooks` and `manifests/rbac.yaml`.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

mod rbac;
mod rules;
mod webhooks;

pub use rbac::rbac;
pub use webhooks::{enforce, enforced_entries, ingress_entry, mutating, validating};
