//! Checks of the fields that the rules of HTTPRoutes and GRPCRoutes have in common, where they depend on the installed
//! CRDs. Other rules are in [`validation::route_rule`](crate::validation::route_rule).

mod duration_malformed;
mod session_cookie_unused;
mod session_malformed;

use super::Check;

/// The checks of the family `rule` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[&duration_malformed::CHECK, &session_cookie_unused::CHECK, &session_malformed::CHECK];
