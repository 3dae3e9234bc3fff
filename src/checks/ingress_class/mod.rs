//! Checks of an IngressClass.

mod second_default;

use super::Check;

/// The checks of the family `ingress-class`, ordered by id.
pub const ALL: &[&Check] = &[&second_default::CHECK];
