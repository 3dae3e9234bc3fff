//! Checks of a TLSCertificateDelegation.

use super::Check;

/// The checks of the family `tlscertificatedelegation`, ordered by id.
pub const ALL: &[&Check] = &[];
