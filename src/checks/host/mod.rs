//! Checks over the hosts and routes of any kind: one index, one id for all.

mod not_owned;
mod path_conflict;
mod wildcard_takes_host;

use super::{Check, Context};
use crate::config::{Expiry, Validity};
use crate::matching::{Depth, Host};

/// The checks of the family `host`, ordered by id.
pub const ALL: &[&Check] = &[&not_owned::CHECK, &path_conflict::CHECK, &wildcard_takes_host::CHECK];

/// Whether the platform lets `host` be shared between the object's namespace and `other`, because it moves from one to the other.
fn is_handed_over(host: &Host<'_>, other: &str, cx: &Context<'_>) -> bool {
    cx.config.handovers.iter().any(|handover| {
        let between = [handover.from.as_str(), handover.to.as_str()];
        between.contains(&cx.namespace())
            && between.contains(&other)
            && Host::parse(&handover.host).covers(host, Depth::AnyLabels)
            && Expiry::validity(handover.expires, cx.now) != Validity::Over
    })
}
