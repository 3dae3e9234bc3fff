//! Checks of a BackendTLSPolicy.

mod authority_kind_unknown;
mod hostname_malformed;
mod incomplete;
mod option_too_long;
mod reference_malformed;
mod subject_alt_name_malformed;
mod subject_alt_name_mismatch;
mod subject_alt_name_type_unknown;
mod target_conflict;
mod target_kind_unknown;
mod target_not_found;
mod target_repeated;
mod target_section_missing;
mod too_many;
mod trust_ambiguous;
mod trust_missing;
mod well_known_unknown;

use super::Check;

/// The checks of the family `backend-tls-policy`, ordered by id.
pub const ALL: &[&Check] = &[
    &authority_kind_unknown::CHECK,
    &hostname_malformed::CHECK,
    &incomplete::CHECK,
    &option_too_long::CHECK,
    &reference_malformed::CHECK,
    &subject_alt_name_malformed::CHECK,
    &subject_alt_name_mismatch::CHECK,
    &subject_alt_name_type_unknown::CHECK,
    &target_conflict::CHECK,
    &target_kind_unknown::CHECK,
    &target_not_found::CHECK,
    &target_repeated::CHECK,
    &target_section_missing::CHECK,
    &too_many::CHECK,
    &trust_ambiguous::CHECK,
    &trust_missing::CHECK,
    &well_known_unknown::CHECK,
];
