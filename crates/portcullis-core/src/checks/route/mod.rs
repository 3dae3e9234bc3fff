//! Checks of routes of every kind of the Gateway API that look at other objects or depend on the installed CRDs. The
//! rules about a route by itself are in [`validation`](crate::validation).

mod backend_not_granted;
mod feature_unsupported;
mod hostname_not_served;
mod hostnames_too_many;
mod https_missing;
mod kind_not_allowed;
mod namespace_not_allowed;
mod parent_duplicate;
mod parent_named_twice;
mod parent_not_found;
mod parent_port_not_found;
mod parent_refs_mixed;
mod parents_missing;
mod rules_missing;
mod section_not_found;
mod section_port_differs;
mod service_external_name;
mod service_not_found;
mod service_port_not_found;
mod service_port_protocol_mismatch;

use super::Check;

/// The checks of the family `route` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[
    &backend_not_granted::CHECK,
    &feature_unsupported::CHECK,
    &hostname_not_served::CHECK,
    &hostnames_too_many::CHECK,
    &https_missing::CHECK,
    &kind_not_allowed::CHECK,
    &namespace_not_allowed::CHECK,
    &parent_duplicate::CHECK,
    &parent_named_twice::CHECK,
    &parent_not_found::CHECK,
    &parent_port_not_found::CHECK,
    &parent_refs_mixed::CHECK,
    &parents_missing::CHECK,
    &rules_missing::CHECK,
    &section_not_found::CHECK,
    &section_port_differs::CHECK,
    &service_external_name::CHECK,
    &service_not_found::CHECK,
    &service_port_not_found::CHECK,
    &service_port_protocol_mismatch::CHECK,
];
