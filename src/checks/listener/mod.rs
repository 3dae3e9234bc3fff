//! Checks of the listeners of a Gateway or a ListenerSet.

mod certificate_kind;
mod certificate_missing;
mod certificate_not_granted;
mod certificate_ref_malformed;
mod certificate_unused;
mod duplicate;
mod field_missing;
mod from_unknown;
mod host_not_allowed;
mod hostname_forbidden;
mod hostname_is_ip;
mod hostname_label_too_long;
mod hostname_malformed;
mod hostname_overlap;
mod https_passthrough;
mod legacy_field;
mod limit_exceeded;
mod name_duplicate;
mod name_malformed;
mod none;
mod open_to_all;
mod option_unprefixed;
mod port_misleading;
mod port_not_allowed;
mod port_out_of_range;
mod protocol_conflict;
mod protocol_malformed;
mod protocol_unknown;
mod route_kind_malformed;
mod route_kind_mismatch;
mod selector_malformed;
mod selector_missing;
mod selector_open;
mod selector_unused;
mod tls_forbidden;
mod tls_missing;
mod tls_mode_missing;
mod tls_mode_unknown;
mod too_many;

use super::Check;

/// The checks of the family `listener`, ordered by id.
pub const ALL: &[&Check] = &[
    &certificate_kind::CHECK,
    &certificate_missing::CHECK,
    &certificate_not_granted::CHECK,
    &certificate_ref_malformed::CHECK,
    &certificate_unused::CHECK,
    &duplicate::CHECK,
    &field_missing::CHECK,
    &from_unknown::CHECK,
    &host_not_allowed::CHECK,
    &hostname_forbidden::CHECK,
    &hostname_is_ip::CHECK,
    &hostname_label_too_long::CHECK,
    &hostname_malformed::CHECK,
    &hostname_overlap::CHECK,
    &https_passthrough::CHECK,
    &legacy_field::CHECK,
    &limit_exceeded::CHECK,
    &name_duplicate::CHECK,
    &name_malformed::CHECK,
    &none::CHECK,
    &open_to_all::CHECK,
    &option_unprefixed::CHECK,
    &port_misleading::CHECK,
    &port_not_allowed::CHECK,
    &port_out_of_range::CHECK,
    &protocol_conflict::CHECK,
    &protocol_malformed::CHECK,
    &protocol_unknown::CHECK,
    &route_kind_malformed::CHECK,
    &route_kind_mismatch::CHECK,
    &selector_malformed::CHECK,
    &selector_missing::CHECK,
    &selector_open::CHECK,
    &selector_unused::CHECK,
    &tls_forbidden::CHECK,
    &tls_missing::CHECK,
    &tls_mode_missing::CHECK,
    &tls_mode_unknown::CHECK,
    &too_many::CHECK,
];
