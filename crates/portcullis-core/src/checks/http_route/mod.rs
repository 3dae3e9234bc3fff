//! Checks of an HTTPRoute.

mod header_value_malformed;
mod method_unknown;
mod path_ambiguous;
mod path_looks_like_regex;
mod path_not_absolute;
mod path_too_long;
mod path_type_unknown;
mod path_unsafe_character;
mod prefix_replaced_without_prefix;
mod query_malformed;
mod query_matched_twice;
mod redirect_and_rewrite_apart;
mod redirect_in_backend;
mod redirect_with_backends;
mod retry_malformed;
mod retry_never;
mod rule_shadowed;
mod timeout_malformed;
mod timeout_order;

use super::Check;

/// The checks of the family `http-route`, ordered by id.
pub const ALL: &[&Check] = &[
    &header_value_malformed::CHECK,
    &method_unknown::CHECK,
    &path_ambiguous::CHECK,
    &path_looks_like_regex::CHECK,
    &path_not_absolute::CHECK,
    &path_too_long::CHECK,
    &path_type_unknown::CHECK,
    &path_unsafe_character::CHECK,
    &prefix_replaced_without_prefix::CHECK,
    &query_malformed::CHECK,
    &query_matched_twice::CHECK,
    &redirect_and_rewrite_apart::CHECK,
    &redirect_in_backend::CHECK,
    &redirect_with_backends::CHECK,
    &retry_malformed::CHECK,
    &retry_never::CHECK,
    &rule_shadowed::CHECK,
    &timeout_malformed::CHECK,
    &timeout_order::CHECK,
];
