//! Checks of a TLSRoute, TCPRoute or UDPRoute that look at other objects.

mod listener_shared;

use super::Check;

/// The checks of the family `l4-route` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[&listener_shared::CHECK];
