//! Checks of any object, whatever its kind.

mod field_missing;
mod ignored_check_unknown;
mod label_malformed;
mod name_malformed;
mod owner_incomplete;
#[cfg(feature = "panic-check")]
mod panics;
mod too_complex;
mod too_large;
mod too_large_growing;
mod type_mismatch;
mod unknown_field;
mod unreadable;
mod value_not_allowed;

use super::Check;

/// The checks of the family `object`, ordered by id.
pub const ALL: &[&Check] = &[
    &field_missing::CHECK,
    &ignored_check_unknown::CHECK,
    &label_malformed::CHECK,
    &name_malformed::CHECK,
    &owner_incomplete::CHECK,
    #[cfg(feature = "panic-check")]
    &panics::CHECK,
    &too_complex::CHECK,
    &too_large::CHECK,
    &too_large_growing::CHECK,
    &type_mismatch::CHECK,
    &unknown_field::CHECK,
    &unreadable::CHECK,
    &value_not_allowed::CHECK,
];
