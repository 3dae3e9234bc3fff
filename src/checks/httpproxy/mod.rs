//! Checks of an HTTPProxy. Their ids are the names that the rules have in its catalogue, alike for IngressRoute and HTTPProxy.

mod deleted_in_use;
mod fqdn_malformed;
mod fqdn_unique;
mod header_conditions;
mod include_conditions;
mod include_cycle;
mod include_expansion;
mod include_missing;
mod include_root;
mod path_conditions;
mod query_conditions;
mod regex_malformed;
mod root_namespace;
mod route_action;
mod service_exists;
mod spec_empty;
mod tcpproxy;
mod tls_passthrough;
mod tls_secret;
mod tls_secret_required;
mod tls_versions;

use super::Check;

/// The checks of the family `httpproxy`, ordered by id.
pub const ALL: &[&Check] = &[
    &deleted_in_use::CHECK,
    &fqdn_malformed::CHECK,
    &fqdn_unique::CHECK,
    &header_conditions::CHECK,
    &include_conditions::CHECK,
    &include_cycle::CHECK,
    &include_expansion::CHECK,
    &include_missing::CHECK,
    &include_root::CHECK,
    &path_conditions::CHECK,
    &query_conditions::CHECK,
    &regex_malformed::CHECK,
    &root_namespace::CHECK,
    &route_action::CHECK,
    &service_exists::CHECK,
    &spec_empty::CHECK,
    &tcpproxy::CHECK,
    &tls_passthrough::CHECK,
    &tls_secret::CHECK,
    &tls_secret_required::CHECK,
    &tls_versions::CHECK,
];
