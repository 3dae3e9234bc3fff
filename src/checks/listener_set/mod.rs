//! Checks of a ListenerSet.

use super::Check;

/// The checks of the family `listener-set`, ordered by id.
pub const ALL: &[&Check] = &[];
