//! Checks of an IngressClass.

mod controller_changed;
mod controller_malformed;
mod controller_missing;
mod controller_too_long;
mod default_annotation_not_boolean;
mod deleted_in_use;
mod name_malformed;
mod parameters_group_malformed;
mod parameters_incomplete;
mod parameters_namespace_mismatch;
mod parameters_scope_unknown;
mod second_default;

use super::Check;

/// The checks of the family `ingress-class`, ordered by id.
pub const ALL: &[&Check] = &[
    &controller_changed::CHECK,
    &controller_malformed::CHECK,
    &controller_missing::CHECK,
    &controller_too_long::CHECK,
    &default_annotation_not_boolean::CHECK,
    &deleted_in_use::CHECK,
    &name_malformed::CHECK,
    &parameters_group_malformed::CHECK,
    &parameters_incomplete::CHECK,
    &parameters_namespace_mismatch::CHECK,
    &parameters_scope_unknown::CHECK,
    &second_default::CHECK,
];
