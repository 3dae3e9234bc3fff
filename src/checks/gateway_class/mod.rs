//! Checks of a GatewayClass.

use super::Check;

/// The checks of the family `gateway-class`, ordered by id.
pub const ALL: &[&Check] = &[];
