//! Checks of objects of every kind. The rules about the object by itself are in
//! [`validation::object`](crate::validation::object).

mod annotation_required;
mod ignored_check_unknown;
mod label_required;
pub mod namespace_too_large;
pub mod too_costly;
mod too_large_growing;

use super::Check;

/// The checks of the family `object` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[
    &annotation_required::CHECK,
    &ignored_check_unknown::CHECK,
    &label_required::CHECK,
    &namespace_too_large::CHECK,
    &too_costly::CHECK,
    &too_large_growing::CHECK,
];
