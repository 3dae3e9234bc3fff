//! Checks of the filters of an HTTPRoute or a GRPCRoute.

mod cors_credentials_for_all;
mod cors_entry_malformed;
mod cors_wildcard_not_alone;
mod extension_incomplete;
mod external_auth_mismatch;
mod external_auth_repeated;
mod header_malformed;
mod header_modified_twice;
mod header_removal_malformed;
mod header_value_malformed;
mod hostname_malformed;
mod known;
mod list_too_long;
mod mirror_share_malformed;
mod path_modifier_mismatch;
mod path_replacement_malformed;
mod redirect_and_rewrite;
mod redirect_malformed;
mod repeated;
mod type_mismatch;
mod type_unknown;

use super::Check;

/// The checks of the family `filter`, ordered by id.
pub const ALL: &[&Check] = &[
    &cors_credentials_for_all::CHECK,
    &cors_entry_malformed::CHECK,
    &cors_wildcard_not_alone::CHECK,
    &extension_incomplete::CHECK,
    &external_auth_mismatch::CHECK,
    &external_auth_repeated::CHECK,
    &header_malformed::CHECK,
    &header_modified_twice::CHECK,
    &header_removal_malformed::CHECK,
    &header_value_malformed::CHECK,
    &hostname_malformed::CHECK,
    &list_too_long::CHECK,
    &mirror_share_malformed::CHECK,
    &path_modifier_mismatch::CHECK,
    &path_replacement_malformed::CHECK,
    &redirect_and_rewrite::CHECK,
    &redirect_malformed::CHECK,
    &repeated::CHECK,
    &type_mismatch::CHECK,
    &type_unknown::CHECK,
];
