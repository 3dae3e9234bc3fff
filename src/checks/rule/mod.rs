//! Checks of what the rules of an HTTPRoute and a GRPCRoute have in common.

mod duration_malformed;
mod header_malformed;
mod header_matched_twice;
mod list_too_long;
mod match_type_unknown;
mod regex_malformed;
mod session_cookie_unused;
mod session_malformed;

use super::Check;

/// The checks of the family `rule`, ordered by id.
pub const ALL: &[&Check] = &[
    &duration_malformed::CHECK,
    &header_malformed::CHECK,
    &header_matched_twice::CHECK,
    &list_too_long::CHECK,
    &match_type_unknown::CHECK,
    &regex_malformed::CHECK,
    &session_cookie_unused::CHECK,
    &session_malformed::CHECK,
];
