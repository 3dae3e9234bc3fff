//! Checks of the listeners of a Gateway or a ListenerSet.

use super::Check;

/// The checks of the family `listener`, ordered by id.
pub const ALL: &[&Check] = &[];
