//! Checks of an HTTPProxy. Their ids are the names that the rules have in its catalogue, alike for IngressRoute and HTTPProxy.

mod deleted_in_use;
mod fqdn_unique;
mod include_cycle;
mod include_expansion;
mod include_missing;
mod include_root;
mod included_never_matches;
mod root_namespace;
mod service_exists;
mod tls_secret;

use super::Check;

/// The checks of the family `httpproxy`, ordered by id.
pub const ALL: &[&Check] = &[
    &deleted_in_use::CHECK,
    &fqdn_unique::CHECK,
    &included_never_matches::CHECK,
    &include_cycle::CHECK,
    &include_expansion::CHECK,
    &include_missing::CHECK,
    &include_root::CHECK,
    &root_namespace::CHECK,
    &service_exists::CHECK,
    &tls_secret::CHECK,
];
