//! Checks of routes of any kind of the Gateway API.

mod parent_not_found;
mod parent_refs_too_many;

use super::Check;

/// The checks of the family `route`, ordered by id.
pub const ALL: &[&Check] = &[&parent_not_found::CHECK, &parent_refs_too_many::CHECK];
