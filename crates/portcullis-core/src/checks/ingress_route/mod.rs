//! Checks of an IngressRoute that look beyond the object.

mod breach;
mod delegate_is_root;
mod delegate_not_found;
mod delegation_cycle;
mod delegation_not_consented;
mod delegation_outside_prefix;
mod delegation_too_deep;
mod deleted_in_use;
mod extension_disabled;
mod fqdn_conflict;
mod https_missing;
mod insecure_permitted;
mod match_shadowed;
mod orphaned;
mod path_outside_prefix;
mod role_changed_in_use;
mod root_namespace_not_allowed;
mod service_external_name;
mod service_not_found;
mod strategy_conflict;
mod tcpproxy_missing;
mod tls_certificate_mismatch;
mod tls_certificate_not_delegated;
mod tls_secret;
mod tls_secret_in_other_namespace;
mod tls_secret_unusable;
mod upstream_validation_incomplete;

use super::Check;

/// The checks of the family `ingress-route` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[
    &delegate_is_root::CHECK,
    &delegate_not_found::CHECK,
    &delegation_cycle::CHECK,
    &delegation_not_consented::CHECK,
    &delegation_outside_prefix::CHECK,
    &delegation_too_deep::CHECK,
    &deleted_in_use::CHECK,
    &extension_disabled::CHECK,
    &fqdn_conflict::CHECK,
    &https_missing::CHECK,
    &insecure_permitted::CHECK,
    &match_shadowed::CHECK,
    &orphaned::CHECK,
    &path_outside_prefix::CHECK,
    &role_changed_in_use::CHECK,
    &root_namespace_not_allowed::CHECK,
    &service_external_name::CHECK,
    &service_not_found::CHECK,
    &strategy_conflict::CHECK,
    &tcpproxy_missing::CHECK,
    &tls_certificate_mismatch::CHECK,
    &tls_certificate_not_delegated::CHECK,
    &tls_secret_in_other_namespace::CHECK,
    &tls_secret_unusable::CHECK,
    &upstream_validation_incomplete::CHECK,
];
