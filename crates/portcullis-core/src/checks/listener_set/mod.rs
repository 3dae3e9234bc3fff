//! Checks of a ListenerSet that look beyond the object.

mod deleted_in_use;
mod feature_unsupported;
mod listener_conflict;
mod listeners_too_many;
mod not_allowed;
mod parent_not_found;

use super::Check;

/// The checks of the family `listener-set` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[
    &deleted_in_use::CHECK,
    &feature_unsupported::CHECK,
    &listener_conflict::CHECK,
    &listeners_too_many::CHECK,
    &not_allowed::CHECK,
    &parent_not_found::CHECK,
];
