//! Decides which of two objects that claim the same host is at fault. All conflict checks share this rule.

use std::cell::Cell;
use std::cmp::Ordering;

use jiff::Timestamp;

use super::{is_handed_over, is_moving};
use crate::checks::{Context, Operation};
use crate::cluster::ownership::OwnershipDecision;
use crate::kinds::ObjectRef;
use crate::matching::Host;
use crate::routing::precedence;

/// The role of the other object where both objects claim a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rival {
    /// Its right to the host is as good as that of the object under review, or better.
    Holder,
    /// `hostOwnership` gives the host to the namespace under review and not to its own, by an entry or since it served the
    /// host first. The author under review is only warned.
    Squatter,
}

/// The role of the object at `other`, created at `created`, where both objects claim `host`. `None` if the two may
/// share the host, or if the other object is at fault. Of two stored objects with equal rights, the younger one is at
/// fault, or the one with the greater reference if their ages are unknown or equal, so that each pair is reported once.
pub fn rival(host: &Host<'_>, other: &ObjectRef, created: Option<Timestamp>, cx: &Context<'_>) -> Option<Rival> {
    let rival = rival_by_ownership(host, other, cx)?;
    let is_owned_elsewhere = || {
        let (own, theirs) = (cx.namespace(), &*other.namespace);
        own != theirs && (is_squatter(host, own, cx) || is_first(host, theirs, own, cx))
    };
    (is_later(other, created, cx) || is_owned_elsewhere()).then_some(rival)
}

/// Whether the object under review is newer than the one at `other`, created at `created`. A write always is. Of two
/// stored objects it is the younger one, or the one with the greater reference if their ages are unknown or equal, so
/// that each pair is reported once.
pub fn is_later(other: &ObjectRef, created: Option<Timestamp>, cx: &Context<'_>) -> bool {
    cx.operation != Operation::Stored || age(created, cx).unwrap_or_else(|| cx.this.cmp(other)).is_ge()
}

/// Like [`rival`], but regardless of the age of the two objects.
pub fn rival_by_ownership(host: &Host<'_>, other: &ObjectRef, cx: &Context<'_>) -> Option<Rival> {
    if other.namespace == cx.namespace() {
        return Some(Rival::Holder);
    }
    if is_handed_over(host, &other.namespace, cx) {
        return None;
    }
    let is_owner = match is_squatter(host, &other.namespace, cx) {
        true => cx.ownership.claim(host, cx.namespace(), cx.cluster) == OwnershipDecision::Free,
        false if is_first(host, cx.namespace(), &other.namespace, cx) => true,
        false => return Some(Rival::Holder),
    };
    // For stored objects, only the object that does not own the host is reported.
    (is_owner && cx.operation != Operation::Stored).then_some(Rival::Squatter)
}

/// Whether `namespace` owns `host` because it served it first (`unlisted: FirstNamespace`), so that `other` does not. False if
/// that is not certain.
fn is_first(host: &Host<'_>, namespace: &str, other: &str, cx: &Context<'_>) -> bool {
    let is_undecided = || {
        cx.ownership.claim(host, other, cx.cluster) == OwnershipDecision::FirstNamespace && !is_moving(host, other, cx)
    };
    if !cx.ownership.is_first_namespace() || *host == Host::Any || !is_undecided() {
        return false;
    }
    cx.holders.with(host, cx.config, cx.cluster, |(created, holder)| {
        // Without ages, either may be the first, and the view may lack a stored object that is older.
        let is_open = || created.is_none() || precedence::compare((cx.created, cx.this), (created, holder)).is_lt();
        holder.namespace == namespace
            && !cx.cluster.has_cut_before(other, created)
            && (cx.operation != Operation::Stored || !is_open())
    })
}

/// How the age of the object under review compares with that of an object created at `created`. `None` if an age is
/// unknown, if both are equal, or if the object is being written and is therefore the newest.
pub fn age(created: Option<Timestamp>, cx: &Context<'_>) -> Option<Ordering> {
    let (own, theirs) = (cx.created?, created?);
    Some(own.cmp(&theirs)).filter(|order| order.is_ne())
}

/// Whether it is undecidable which of two stored objects that claim `host` should be removed, because neither their age
/// (`created` is that of the other) nor `hostOwnership` decides.
pub fn is_unordered(host: &Host<'_>, created: Option<Timestamp>, cx: &Context<'_>) -> bool {
    is_of_unknown_age(created, cx) && !is_squatter(host, cx.namespace(), cx)
}

/// Whether the order of two stored objects is unknown, because the creation time of one of them is. `created` is that
/// of the other object.
pub fn is_of_unknown_age(created: Option<Timestamp>, cx: &Context<'_>) -> bool {
    cx.operation == Operation::Stored && (cx.created.is_none() || created.is_none())
}

/// Whether `hostOwnership` gives `host` to other namespaces than `namespace`. False if that depends on labels that are
/// not known.
pub fn is_squatter(host: &Host<'_>, namespace: &str, cx: &Context<'_>) -> bool {
    !cx.ownership.is_empty(cx.cluster)
        && matches!(cx.ownership.claim(host, namespace, cx.cluster), OwnershipDecision::Owned { .. })
        && !is_moving(host, namespace, cx)
}

/// Whether an entry of `hostOwnership` or a HostClaim gives `host` to the namespace under review.
pub fn is_owner(host: &Host<'_>, cx: &Context<'_>) -> bool {
    cx.ownership.owner(host, cx.cluster).is_some()
        && cx.ownership.claim(host, cx.namespace(), cx.cluster) == OwnershipDecision::Free
}

/// Selects the rivals of a route while routing looks for conflicts: those with a right to the host in a first pass,
/// squatters in a second one.
#[derive(Debug)]
pub struct RouteRivals<'c, 'r> {
    cx: &'c Context<'r>,
    /// Whether the first pass has seen squatters.
    has_squatters: Cell<bool>,
}

impl<'c, 'r> RouteRivals<'c, 'r> {
    /// No rival has been seen yet.
    pub fn new(cx: &'c Context<'r>) -> Self {
        Self { cx, has_squatters: Cell::new(false) }
    }

    /// Returns whether `other` has a right to `host` that is as good as that of the object under review, or better.
    /// Records that a second pass is necessary if it is a squatter.
    pub fn note_holder(&self, host: &Host<'_>, other: &ObjectRef, created: Option<Timestamp>) -> bool {
        let rival = rival(host, other, created, self.cx);
        self.has_squatters.set(self.has_squatters.get() || rival == Some(Rival::Squatter));
        rival == Some(Rival::Holder)
    }

    /// Whether a second pass for squatters is necessary.
    pub fn has_squatters(&self) -> bool {
        self.has_squatters.get()
    }

    /// Whether `other` may not claim `host` but the object under review may.
    pub fn squats(&self, host: &Host<'_>, other: &ObjectRef) -> bool {
        rival_by_ownership(host, other, self.cx) == Some(Rival::Squatter)
    }
}
