//! Checks over the hosts and routes of any kind: one index, one id for all.

mod path_conflict;

use super::Check;

/// The checks of the family `host`, ordered by id.
pub const ALL: &[&Check] = &[&path_conflict::CHECK];
