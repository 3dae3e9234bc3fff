//! Checks of routes of any kind of the Gateway API.

mod backend_kind_unknown;
mod backend_not_granted;
mod backend_port_missing;
mod backends_missing;
mod backends_too_many;
mod hostname_duplicate;
mod hostname_is_ip;
mod hostname_label_too_long;
mod hostname_malformed;
mod hostname_not_served;
mod hostname_wildcard_malformed;
mod hostnames_too_many;
mod kind_is_resource;
mod kind_not_allowed;
mod legacy_field;
mod matches_too_many;
mod namespace_not_allowed;
mod parent_duplicate;
mod parent_kind_unknown;
mod parent_named_twice;
mod parent_not_found;
mod parent_port_not_found;
mod parent_refs_mixed;
mod parent_refs_too_many;
mod parents_missing;
mod rule_name_duplicate;
mod rule_name_malformed;
mod rule_unanswered;
mod rules_missing;
mod rules_too_many;
mod section_not_found;
mod section_port_differs;
mod service_external_name;
mod service_not_found;
mod service_port_not_found;
mod service_port_protocol_mismatch;
mod weight_out_of_range;
mod weights_all_zero;

use super::Check;

/// The checks of the family `route`, ordered by id.
pub const ALL: &[&Check] = &[
    &backend_kind_unknown::CHECK,
    &backend_not_granted::CHECK,
    &backend_port_missing::CHECK,
    &backends_missing::CHECK,
    &backends_too_many::CHECK,
    &hostname_duplicate::CHECK,
    &hostname_is_ip::CHECK,
    &hostname_label_too_long::CHECK,
    &hostname_malformed::CHECK,
    &hostname_not_served::CHECK,
    &hostname_wildcard_malformed::CHECK,
    &hostnames_too_many::CHECK,
    &kind_is_resource::CHECK,
    &kind_not_allowed::CHECK,
    &legacy_field::CHECK,
    &matches_too_many::CHECK,
    &namespace_not_allowed::CHECK,
    &parent_duplicate::CHECK,
    &parent_kind_unknown::CHECK,
    &parent_named_twice::CHECK,
    &parent_not_found::CHECK,
    &parent_port_not_found::CHECK,
    &parent_refs_mixed::CHECK,
    &parent_refs_too_many::CHECK,
    &parents_missing::CHECK,
    &rule_name_duplicate::CHECK,
    &rule_name_malformed::CHECK,
    &rule_unanswered::CHECK,
    &rules_missing::CHECK,
    &rules_too_many::CHECK,
    &section_not_found::CHECK,
    &section_port_differs::CHECK,
    &service_external_name::CHECK,
    &service_not_found::CHECK,
    &service_port_not_found::CHECK,
    &service_port_protocol_mismatch::CHECK,
    &weight_out_of_range::CHECK,
    &weights_all_zero::CHECK,
];
