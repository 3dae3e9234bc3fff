//! Checks of an HTTPProxy that look beyond the object. Their ids are the names of the rules in `tests/catalogue.tsv`.

mod deleted_in_use;
mod fqdn_conflict;
mod https_missing;
mod include_cycle;
mod include_is_root;
mod include_not_found;
mod include_too_many_routes;
mod included_never_matches;
mod root_namespace_not_allowed;
mod service_external_name;
mod service_not_found;
mod tls_secret_unusable;

use super::Check;

/// The checks of the family `http-proxy` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[
    &deleted_in_use::CHECK,
    &fqdn_conflict::CHECK,
    &https_missing::CHECK,
    &include_cycle::CHECK,
    &include_is_root::CHECK,
    &include_not_found::CHECK,
    &include_too_many_routes::CHECK,
    &included_never_matches::CHECK,
    &root_namespace_not_allowed::CHECK,
    &service_external_name::CHECK,
    &service_not_found::CHECK,
    &tls_secret_unusable::CHECK,
];
