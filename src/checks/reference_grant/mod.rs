//! Checks of a ReferenceGrant.

use super::Check;

/// The checks of the family `reference-grant`, ordered by id.
pub const ALL: &[&Check] = &[];
