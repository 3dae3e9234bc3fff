//! Checks of a ReferenceGrant that look beyond the object.

mod all_secrets;
mod from_not_allowed;
mod own_namespace;

use super::Check;

/// The checks of the family `reference-grant` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[&all_secrets::CHECK, &from_not_allowed::CHECK, &own_namespace::CHECK];
