//! Checks of a TLSRoute, TCPRoute or UDPRoute.

mod hostnames_missing;
mod listener_shared;

use super::Check;

/// The checks of the family `l4-route`, ordered by id.
pub const ALL: &[&Check] = &[&hostnames_missing::CHECK, &listener_shared::CHECK];
