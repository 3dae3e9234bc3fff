//! Checks of a ReferenceGrant.

mod all_secrets;
mod from_not_allowed;
mod own_namespace;

use super::Check;

/// The checks of the family `reference-grant`, ordered by id.
pub const ALL: &[&Check] = &[&all_secrets::CHECK, &from_not_allowed::CHECK, &own_namespace::CHECK];
