//! Checks of any object, whatever its kind.

mod unreadable;

use super::Check;

/// The checks of the family `object`, ordered by id.
pub const ALL: &[&Check] = &[&unreadable::CHECK];
