//! Checks of a ReferenceGrant.

mod all_secrets;
mod from_not_allowed;
mod incomplete;
mod kind_not_in_group;
mod namespace_malformed;
mod own_namespace;
mod reference_malformed;
mod too_many_entries;
mod without_effect;

use super::Check;

/// The checks of the family `reference-grant`, ordered by id.
pub const ALL: &[&Check] = &[
    &all_secrets::CHECK,
    &from_not_allowed::CHECK,
    &incomplete::CHECK,
    &kind_not_in_group::CHECK,
    &namespace_malformed::CHECK,
    &own_namespace::CHECK,
    &reference_malformed::CHECK,
    &too_many_entries::CHECK,
    &without_effect::CHECK,
];
