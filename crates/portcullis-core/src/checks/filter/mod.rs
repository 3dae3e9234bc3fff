//! Checks of the filters of an HTTPRoute or a GRPCRoute that depend on the installed CRDs. The rules about a filter by
//! itself are in [`validation`](crate::validation).

mod external_auth_mismatch;
mod header_value_malformed;
mod known;
mod redirect_malformed;
mod type_mismatch;
mod type_unknown;

use super::Check;

/// The checks of the family `filter` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[
    &external_auth_mismatch::CHECK,
    &header_value_malformed::CHECK,
    &redirect_malformed::CHECK,
    &type_mismatch::CHECK,
    &type_unknown::CHECK,
];
