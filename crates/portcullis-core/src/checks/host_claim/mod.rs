//! Checks of a HostClaim that look beyond the object. The rules about the object by itself are in
//! [`validation::host_claim`](crate::validation::host_claim).

mod deleted_in_use;
mod namespace_not_found;
mod no_effect;
mod served_by_others;

use super::Check;

/// The checks of the family `host-claim` that look beyond the object, ordered by id.
pub const ALL: &[&Check] =
    &[&deleted_in_use::CHECK, &namespace_not_found::CHECK, &no_effect::CHECK, &served_by_others::CHECK];
