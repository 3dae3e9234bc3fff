//! Checks of an Ingress by itself and of what it refers to.

mod class_annotation_differs;
mod class_changed;
mod class_missing;
mod class_not_found;
mod default_backend_set;
mod default_class_ambiguous;
mod host_catch_all;
mod host_wildcard;
mod path_duplicate;
mod path_encoded_dot;
mod path_implementation_specific;
mod path_looks_like_regex;
mod path_not_absolute;
mod path_shadowed;
mod path_unsafe_character;

use super::Check;

/// The checks of the family `ingress`, ordered by id.
pub const ALL: &[&Check] = &[
    &class_annotation_differs::CHECK,
    &class_changed::CHECK,
    &class_missing::CHECK,
    &class_not_found::CHECK,
    &default_backend_set::CHECK,
    &default_class_ambiguous::CHECK,
    &host_catch_all::CHECK,
    &host_wildcard::CHECK,
    &path_duplicate::CHECK,
    &path_encoded_dot::CHECK,
    &path_implementation_specific::CHECK,
    &path_looks_like_regex::CHECK,
    &path_not_absolute::CHECK,
    &path_shadowed::CHECK,
    &path_unsafe_character::CHECK,
];
