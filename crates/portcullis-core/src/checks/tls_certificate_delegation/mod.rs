//! Checks of a TLSCertificateDelegation.

mod incomplete;
mod name_malformed;
mod star_not_alone;

use super::Check;

/// The checks of the family `tls-certificate-delegation`, ordered by id.
pub const ALL: &[&Check] = &[&incomplete::CHECK, &name_malformed::CHECK, &star_not_alone::CHECK];
