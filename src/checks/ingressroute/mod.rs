//! Checks of an IngressRoute. Their ids are the names that the rules have in its catalogue, alike for IngressRoute and HTTPProxy.

mod delegate_ref;
mod fqdn_required;
mod fqdn_syntax;
mod fqdn_unique;
mod fqdn_wildcard;
mod healthcheck;
mod match_chars;
mod match_duplicate;
mod match_slash;
mod port_range;
mod prefix_rewrite;
mod retries;
mod root_namespace;
mod route_action;
mod routes_non_empty;
mod service_duplicate;
mod service_ref;
mod service_spelling;
mod strategy;
mod tcpproxy;
mod timeouts;
mod tls_cert_delegation;
mod tls_min_version;
mod tls_passthrough;
mod tls_secret;
mod tls_secret_namespace;
mod tls_secret_required;
mod unknown_field;
mod weight_mixed;
mod weight_range;

use super::Check;

/// The checks of the family `ingressroute`, ordered by id.
pub const ALL: &[&Check] = &[
    &delegate_ref::CHECK,
    &fqdn_required::CHECK,
    &fqdn_syntax::CHECK,
    &fqdn_unique::CHECK,
    &fqdn_wildcard::CHECK,
    &healthcheck::CHECK,
    &match_chars::CHECK,
    &match_duplicate::CHECK,
    &match_slash::CHECK,
    &port_range::CHECK,
    &prefix_rewrite::CHECK,
    &retries::CHECK,
    &root_namespace::CHECK,
    &route_action::CHECK,
    &routes_non_empty::CHECK,
    &service_duplicate::CHECK,
    &service_ref::CHECK,
    &service_spelling::CHECK,
    &strategy::CHECK,
    &tcpproxy::CHECK,
    &timeouts::CHECK,
    &tls_cert_delegation::CHECK,
    &tls_min_version::CHECK,
    &tls_passthrough::CHECK,
    &tls_secret_namespace::CHECK,
    &tls_secret_required::CHECK,
    &unknown_field::CHECK,
    &weight_mixed::CHECK,
    &weight_range::CHECK,
];
