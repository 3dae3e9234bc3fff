//! Checks of a BackendTLSPolicy that look at other objects or at the installed CRDs.

mod target_conflict;
mod target_not_found;
mod well_known_unknown;

use super::Check;

/// The checks of the family `backend-tls-policy` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[&target_conflict::CHECK, &target_not_found::CHECK, &well_known_unknown::CHECK];
