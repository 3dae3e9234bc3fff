//! The manifests that follow from the table of kinds: which webhooks the API server calls, and what Portcullis may read.
//!
//! The texts are those of `manifests/webhooks` and `manifests/rbac.yaml`, to the letter.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

mod rbac;
mod rules;
mod webhooks;

pub use rbac::rbac;
pub use webhooks::{mutating, validating};
