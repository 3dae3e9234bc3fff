//! Checks of a Gateway.

use super::Check;

/// The checks of the family `gateway`, ordered by id.
pub const ALL: &[&Check] = &[];
