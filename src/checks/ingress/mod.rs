//! Checks of an Ingress by itself and of what it refers to.

mod path_not_absolute;

use super::Check;

/// The checks of the family `ingress`, ordered by id.
pub const ALL: &[&Check] = &[&path_not_absolute::CHECK];
