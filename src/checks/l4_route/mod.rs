//! Checks of a TLSRoute, TCPRoute or UDPRoute.

use super::Check;

/// The checks of the family `l4-route`, ordered by id.
pub const ALL: &[&Check] = &[];
