//! Checks of an IngressRoute. Their ids are the names that the rules have in its catalogue, alike for IngressRoute and HTTPProxy.

mod breach;
mod delegate_escape;
mod delegate_missing;
mod delegate_to_root;
mod delegated_prefix;
mod delegation_consent;
mod delegation_cycle;
mod delegation_limits;
mod deleted_in_use;
mod extension_disabled;
mod fqdn_unique;
mod match_shadowed;
mod orphaned;
mod permit_insecure;
mod root_namespace;
mod service_exists;
mod strategy_conflict;
mod tcpproxy_missing;
mod tls_cert_delegation;
mod tls_cert_matches;
mod tls_secret;
mod tls_secret_namespace;
mod tls_secret_valid;
mod upstream_validation;
mod virtualhost_role_change;

use super::Check;

/// The checks of the family `ingressroute`, ordered by id.
pub const ALL: &[&Check] = &[
    &delegate_escape::CHECK,
    &delegate_missing::CHECK,
    &delegate_to_root::CHECK,
    &delegated_prefix::CHECK,
    &delegation_consent::CHECK,
    &delegation_cycle::CHECK,
    &delegation_limits::CHECK,
    &deleted_in_use::CHECK,
    &extension_disabled::CHECK,
    &fqdn_unique::CHECK,
    &match_shadowed::CHECK,
    &orphaned::CHECK,
    &permit_insecure::CHECK,
    &root_namespace::CHECK,
    &service_exists::CHECK,
    &strategy_conflict::CHECK,
    &tcpproxy_missing::CHECK,
    &tls_cert_delegation::CHECK,
    &tls_cert_matches::CHECK,
    &tls_secret_namespace::CHECK,
    &tls_secret_valid::CHECK,
    &upstream_validation::CHECK,
    &virtualhost_role_change::CHECK,
];
