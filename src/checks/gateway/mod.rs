//! Checks of a Gateway.

mod address_duplicate;
mod address_hostname_malformed;
mod address_ip_malformed;
mod address_type_unknown;
mod allowed_listeners_from_unknown;
mod allowed_listeners_selector_ignored;
mod allowed_listeners_selector_malformed;
mod allowed_listeners_selector_missing;
mod class_changed;
mod class_missing;
mod class_not_found;
mod default_scope_unknown;
mod frontend_incomplete;
mod frontend_insecure_fallback;
mod frontend_mode_unknown;
mod frontend_port_duplicate;
mod frontend_port_out_of_range;
mod frontend_port_unused;
mod infrastructure_key_malformed;
mod infrastructure_label_malformed;
mod namespace_not_allowed;
mod reference_malformed;
mod routability_address_wider;
mod routability_changed;
mod routability_field;
mod routability_malformed;
mod routability_not_offered;
mod routability_private_in_cluster;
mod routability_public_private_address;
mod text_too_long;
mod tls_reference_kind;
mod tls_reference_not_granted;
mod too_many_entries;

use super::Check;

/// The checks of the family `gateway`, ordered by id.
pub const ALL: &[&Check] = &[
    &address_duplicate::CHECK,
    &address_hostname_malformed::CHECK,
    &address_ip_malformed::CHECK,
    &address_type_unknown::CHECK,
    &allowed_listeners_from_unknown::CHECK,
    &allowed_listeners_selector_ignored::CHECK,
    &allowed_listeners_selector_malformed::CHECK,
    &allowed_listeners_selector_missing::CHECK,
    &class_changed::CHECK,
    &class_missing::CHECK,
    &class_not_found::CHECK,
    &default_scope_unknown::CHECK,
    &frontend_incomplete::CHECK,
    &frontend_insecure_fallback::CHECK,
    &frontend_mode_unknown::CHECK,
    &frontend_port_duplicate::CHECK,
    &frontend_port_out_of_range::CHECK,
    &frontend_port_unused::CHECK,
    &infrastructure_key_malformed::CHECK,
    &infrastructure_label_malformed::CHECK,
    &namespace_not_allowed::CHECK,
    &reference_malformed::CHECK,
    &routability_address_wider::CHECK,
    &routability_changed::CHECK,
    &routability_field::CHECK,
    &routability_malformed::CHECK,
    &routability_not_offered::CHECK,
    &routability_private_in_cluster::CHECK,
    &routability_public_private_address::CHECK,
    &text_too_long::CHECK,
    &tls_reference_kind::CHECK,
    &tls_reference_not_granted::CHECK,
    &too_many_entries::CHECK,
];
