//! Checks of a GatewayClass.

mod controller_name_changed;
mod controller_name_malformed;
mod controller_reserved;
mod default_annotation_not_boolean;
mod deleted_in_use;
mod description_too_long;
mod in_cluster_offers_private;
mod legacy_field;
mod parameters_malformed;
mod parameters_namespace_mismatch;
mod routabilities_malformed;
mod routability_change_unknown;
mod second_default;

use super::Check;

/// The checks of the family `gateway-class`, ordered by id.
pub const ALL: &[&Check] = &[
    &controller_name_changed::CHECK,
    &controller_name_malformed::CHECK,
    &controller_reserved::CHECK,
    &default_annotation_not_boolean::CHECK,
    &deleted_in_use::CHECK,
    &description_too_long::CHECK,
    &in_cluster_offers_private::CHECK,
    &legacy_field::CHECK,
    &parameters_malformed::CHECK,
    &parameters_namespace_mismatch::CHECK,
    &routabilities_malformed::CHECK,
    &routability_change_unknown::CHECK,
    &second_default::CHECK,
];
