//! Checks of a GRPCRoute.

mod method_empty;
mod method_malformed;

use super::Check;

/// The checks of the family `grpc-route`, ordered by id.
pub const ALL: &[&Check] = &[&method_empty::CHECK, &method_malformed::CHECK];
