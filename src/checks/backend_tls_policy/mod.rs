//! Checks of a BackendTLSPolicy.

use super::Check;

/// The checks of the family `backend-tls-policy`, ordered by id.
pub const ALL: &[&Check] = &[];
