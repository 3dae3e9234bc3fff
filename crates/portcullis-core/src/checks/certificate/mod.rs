//! Checks of objects whose TLS Secret cert-manager fills, which look at the Certificate behind the Secret.

mod behind;
mod expiring;
mod host_uncovered;
mod not_ready;

use super::Check;

/// The checks of the family `certificate`, ordered by id.
pub const ALL: &[&Check] = &[&expiring::CHECK, &host_uncovered::CHECK, &not_ready::CHECK];
