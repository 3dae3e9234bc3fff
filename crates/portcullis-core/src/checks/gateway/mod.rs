//! Checks of a Gateway that look beyond the object.

mod class_changed;
mod class_missing;
mod class_not_accepted;
mod class_not_allowed;
mod class_not_found;
mod deleted_in_use;
mod feature_unsupported;
mod frontend_port_unused;
mod namespace_not_allowed;
mod routability_changed;
mod routability_field_unknown;
mod routability_not_offered;
mod routability_private_in_cluster;
mod tls_reference_not_granted;
mod too_many_entries;

use super::Check;

/// The checks of the family `gateway` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[
    &class_changed::CHECK,
    &class_missing::CHECK,
    &class_not_accepted::CHECK,
    &class_not_allowed::CHECK,
    &class_not_found::CHECK,
    &deleted_in_use::CHECK,
    &feature_unsupported::CHECK,
    &frontend_port_unused::CHECK,
    &namespace_not_allowed::CHECK,
    &routability_changed::CHECK,
    &routability_field_unknown::CHECK,
    &routability_not_offered::CHECK,
    &routability_private_in_cluster::CHECK,
    &tls_reference_not_granted::CHECK,
    &too_many_entries::CHECK,
];
