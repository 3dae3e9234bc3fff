//! Checks of objects of every kind. The rules about the object by itself are in
//! [`validation::object`](crate::validation::object).

mod ignored_check_unknown;
#[cfg(feature = "panic-check")]
mod panics;
mod too_complex;
mod too_large_growing;

use super::Check;

/// The checks of the family `object` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[
    &ignored_check_unknown::CHECK,
    #[cfg(feature = "panic-check")]
    &panics::CHECK,
    &too_complex::CHECK,
    &too_large_growing::CHECK,
];
