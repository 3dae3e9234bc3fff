//! Checks of an IngressRoute. Their ids are the names that the rules have in its catalogue, alike for IngressRoute and HTTPProxy.

mod breach;
mod delegate_escape;
mod delegate_missing;
mod delegate_ref;
mod delegate_to_root;
mod delegated_prefix;
mod delegation_consent;
mod delegation_cycle;
mod delegation_limits;
mod deleted_in_use;
mod fqdn_required;
mod fqdn_syntax;
mod fqdn_unique;
mod fqdn_wildcard;
mod healthcheck;
mod match_chars;
mod match_duplicate;
mod match_shadowed;
mod match_slash;
mod orphaned;
mod permit_insecure;
mod port_range;
mod prefix_rewrite;
mod retries;
mod root_namespace;
mod route_action;
mod routes_non_empty;
mod self_delegation;
mod service_duplicate;
mod service_exists;
mod service_ref;
mod service_spelling;
mod shape;
mod strategy;
mod strategy_conflict;
mod tcpproxy;
mod timeouts;
mod tls_cert_delegation;
mod tls_cert_matches;
mod tls_min_version;
mod tls_passthrough;
mod tls_secret;
mod tls_secret_namespace;
mod tls_secret_required;
mod tls_secret_valid;
mod unknown_field;
mod upstream_validation;
mod virtualhost_role_change;
mod weight_mixed;
mod weight_range;

use super::Check;

/// The checks of the family `ingressroute`, ordered by id.
pub const ALL: &[&Check] = &[
    &delegate_escape::CHECK,
    &delegate_missing::CHECK,
    &delegate_ref::CHECK,
    &delegate_to_root::CHECK,
    &delegated_prefix::CHECK,
    &delegation_consent::CHECK,
    &delegation_cycle::CHECK,
    &delegation_limits::CHECK,
    &deleted_in_use::CHECK,
    &fqdn_required::CHECK,
    &fqdn_syntax::CHECK,
    &fqdn_unique::CHECK,
    &fqdn_wildcard::CHECK,
    &healthcheck::CHECK,
    &match_chars::CHECK,
    &match_duplicate::CHECK,
    &match_shadowed::CHECK,
    &match_slash::CHECK,
    &orphaned::CHECK,
    &permit_insecure::CHECK,
    &port_range::CHECK,
    &prefix_rewrite::CHECK,
    &retries::CHECK,
    &root_namespace::CHECK,
    &route_action::CHECK,
    &routes_non_empty::CHECK,
    &self_delegation::CHECK,
    &service_duplicate::CHECK,
    &service_exists::CHECK,
    &service_ref::CHECK,
    &service_spelling::CHECK,
    &shape::CHECK,
    &strategy::CHECK,
    &strategy_conflict::CHECK,
    &tcpproxy::CHECK,
    &timeouts::CHECK,
    &tls_cert_delegation::CHECK,
    &tls_cert_matches::CHECK,
    &tls_min_version::CHECK,
    &tls_passthrough::CHECK,
    &tls_secret_namespace::CHECK,
    &tls_secret_required::CHECK,
    &tls_secret_valid::CHECK,
    &unknown_field::CHECK,
    &upstream_validation::CHECK,
    &virtualhost_role_change::CHECK,
    &weight_mixed::CHECK,
    &weight_range::CHECK,
];
