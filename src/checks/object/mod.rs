//! Checks of any object, whatever its kind.

#[cfg(feature = "panic-check")]
mod panics;
mod unknown_field;
mod unreadable;

use super::Check;

/// The checks of the family `object`, ordered by id.
pub const ALL: &[&Check] = &[
    #[cfg(feature = "panic-check")]
    &panics::CHECK,
    &unknown_field::CHECK,
    &unreadable::CHECK,
];
