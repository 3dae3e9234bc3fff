//! Checks of an HTTPRoute that look at other objects or depend on the installed CRDs. The rules about an HTTPRoute by itself are in
//! [`validation`](crate::validation).

mod header_value_malformed;
mod redirect_loop;
mod retry_malformed;

use super::Check;

/// The checks of the family `http-route` that look beyond the object, ordered by id.
pub const ALL: &[&Check] = &[&header_value_malformed::CHECK, &redirect_loop::CHECK, &retry_malformed::CHECK];
