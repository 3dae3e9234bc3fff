//! The manifests that follow from the table of kinds: the webhooks that the API server calls, and the objects that
//! Portcullis may read.
//!
//! The texts are identical to `manifests/webhooks`, `manifests/rbac.yaml`, and `rbac.yaml` in the components `enforce`,
//! `maintainer`, `gateway-status-secrets` and `gateway-status-config-maps`.
#![deny(clippy::disallowed_methods, clippy::disallowed_types, clippy::unwrap_used)]

mod enforce;
mod maintainer;
mod policies;
mod rbac;
mod rules;
mod webhooks;

pub use enforce::enforce;
pub use maintainer::maintainer;
pub use policies::{HostGrants, Policies, PolicyOptions, policies, policy_names};
pub use rbac::{gateway_status, gateway_status_config_maps, gateway_status_secrets, ingress_status, rbac};
pub use webhooks::{enforced_entries, ingress_entry, mutating, validating, validating_entries};
