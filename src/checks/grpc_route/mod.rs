//! Checks of a GRPCRoute.

use super::Check;

/// The checks of the family `grpc-route`, ordered by id.
pub const ALL: &[&Check] = &[];
