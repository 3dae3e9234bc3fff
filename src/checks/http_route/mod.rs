//! Checks of an HTTPRoute, and of what a GRPCRoute has in common with it.

use super::Check;

/// The checks of the family `http-route`, ordered by id.
pub const ALL: &[&Check] = &[];
