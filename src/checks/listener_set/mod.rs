//! Checks of a ListenerSet.

mod listener_conflict;
mod listeners_too_many;
mod not_allowed;
mod parent_kind;
mod parent_not_found;
mod parent_ref_malformed;

use super::Check;

/// The checks of the family `listener-set`, ordered by id.
pub const ALL: &[&Check] = &[
    &listener_conflict::CHECK,
    &listeners_too_many::CHECK,
    &not_allowed::CHECK,
    &parent_kind::CHECK,
    &parent_not_found::CHECK,
    &parent_ref_malformed::CHECK,
];
