//! Which of two objects that claim one host is at fault: one rule for all conflict checks.

use std::cell::Cell;
use std::cmp::Ordering;

use jiff::Timestamp;

use super::{is_handed_over, is_moving};
use crate::checks::{Context, Operation};
use crate::cluster::ownership::OwnershipClaim;
use crate::kinds::ObjectRef;
use crate::matching::Host;

/// What another object is to the one under review, where both claim a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rival {
    /// It has as good a right to the host, or a better one.
    Holder,
    /// Host ownership gives the host to others than its namespace, and to the namespace under review: its author is only told.
    Squatter,
}

/// What the object at `other`, created at `created`, is to the object under review, where both claim `host`; none where the two may share
/// it, and where the other is at fault: of two stored objects with equal rights the younger is, or else the second by place, so that a pair
/// is named once.
pub fn rival(host: &Host<'_>, other: &ObjectRef, created: Option<Timestamp>, cx: &Context<'_>) -> Option<Rival> {
    let rival = right(host, other, cx)?;
    let is_owned_elsewhere = || other.namespace != cx.namespace() && is_squatter(host, cx.namespace(), cx);
    (is_later(other, created, cx) || is_owned_elsewhere()).then_some(rival)
}

/// Whether the object under review came after the one at `other`, created at `created`: who writes always did. Of two stored objects it is
/// the younger or, where that is not known, the second by place, so that a pair is named once.
pub fn is_later(other: &ObjectRef, created: Option<Timestamp>, cx: &Context<'_>) -> bool {
    cx.operation != Operation::Stored || age(created, cx).unwrap_or_else(|| cx.this.cmp(other)).is_ge()
}

/// The same, whatever the age of the two.
pub fn right(host: &Host<'_>, other: &ObjectRef, cx: &Context<'_>) -> Option<Rival> {
    if other.namespace == cx.namespace() {
        return Some(Rival::Holder);
    }
    if is_handed_over(host, &other.namespace, cx) {
        return None;
    }
    if !is_squatter(host, &other.namespace, cx) {
        return Some(Rival::Holder);
    }
    // Of what is stored, only the squatter is told.
    let is_told = cx.operation != Operation::Stored
        && cx.ownership.claim(host, cx.namespace(), cx.cluster) == OwnershipClaim::Free;
    is_told.then_some(Rival::Squatter)
}

/// Whether the object under review is older than one that was created at `created`; none where that is not known or does not matter, since
/// who writes comes last.
pub fn age(created: Option<Timestamp>, cx: &Context<'_>) -> Option<Ordering> {
    let (own, theirs) = (cx.created?, created?);
    Some(own.cmp(&theirs)).filter(|order| order.is_ne())
}

/// Whether nothing tells which of two stored objects that claim `host` should go: neither their age, that of the other being `created`, nor
/// host ownership.
pub fn is_unordered(host: &Host<'_>, created: Option<Timestamp>, cx: &Context<'_>) -> bool {
    is_of_unknown_age(created, cx) && !is_squatter(host, cx.namespace(), cx)
}

/// Whether of two stored objects nobody can say which came first: this one or the one that was created at `created`.
pub fn is_of_unknown_age(created: Option<Timestamp>, cx: &Context<'_>) -> bool {
    cx.operation == Operation::Stored && (cx.created.is_none() || created.is_none())
}

/// Whether host ownership gives `host` to others than `namespace`. Where that hangs on labels that are not known it does not.
pub fn is_squatter(host: &Host<'_>, namespace: &str, cx: &Context<'_>) -> bool {
    !cx.ownership.is_empty()
        && matches!(cx.ownership.claim(host, namespace, cx.cluster), OwnershipClaim::Owned { .. })
        && !is_moving(host, namespace, cx)
}

/// The rivals of a route among those that routing finds, asked one after the other: first those that hold a host, then squatters.
#[derive(Debug)]
pub struct Rivals<'c, 'r> {
    cx: &'c Context<'r>,
    /// Whether there are any of the second sort.
    has_squatters: Cell<bool>,
}

impl<'c, 'r> Rivals<'c, 'r> {
    /// Nobody was asked about yet.
    pub fn new(cx: &'c Context<'r>) -> Self {
        Self { cx, has_squatters: Cell::new(false) }
    }

    /// Whether `other` holds `host` with as good a right as the object under review, or a better one.
    pub fn holds(&self, host: &Host<'_>, other: &ObjectRef, created: Option<Timestamp>) -> bool {
        let rival = rival(host, other, created, self.cx);
        self.has_squatters.set(self.has_squatters.get() || rival == Some(Rival::Squatter));
        rival == Some(Rival::Holder)
    }

    /// Whether it is worth asking once more, for squatters.
    pub fn has_squatters(&self) -> bool {
        self.has_squatters.get()
    }

    /// Whether `other` may not claim `host`, which the object under review may.
    pub fn squats(&self, host: &Host<'_>, other: &ObjectRef) -> bool {
        right(host, other, self.cx) == Some(Rival::Squatter)
    }
}
