//! Checks an admitted write again, when the view shows what other replicas have admitted at the same time.
//!
//! Of two objects the younger one is reported, as in `audit`: whichever of the two writes created or updated it, exactly one of them
//! reports the pair.

use jiff::Timestamp;

use super::envelope::{self, Pass};
use super::losses::{Loss, losses};
use super::request::Requester;
use crate::checks::{Operation, Plan, Write};
use crate::cluster::reservations::is_reserved;
use crate::cluster::{Facts, SharedCluster, SharedView};
use crate::finding::Action;
use crate::kinds::{ObjectRef, Partial, decode};
use crate::message::render_whole;

/// An object that was admitted although it conflicts with an older one, because both were written at the same time through two
/// replicas.
#[derive(Debug, PartialEq, Eq)]
pub struct LateConflict {
    /// The object.
    pub object_ref: ObjectRef,
    /// The check and the message of each finding that would deny it.
    pub findings: Vec<(&'static str, String)>,
}

/// What a look at an admitted write finds.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rechecked {
    /// The conflict of the object with an older one, if there is one.
    pub late: Option<LateConflict>,
    /// What objects lose since the write: the object itself, and those that lose to it.
    pub losses: Vec<Loss>,
}

/// The view does not show the object with the claim of the write: not yet, not any more, or with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteNotShown;

/// What the creation or update that the review in `text` admitted has caused, without faults and losses from before the update; nothing for
/// another operation. A watch may change the view between two checks.
pub fn recheck(text: &str, plan: &Plan, cluster: &SharedCluster, now: Timestamp) -> Result<Rechecked, WriteNotShown> {
    let Ok(request) = envelope::read(text, Pass::Raw) else { return Ok(Rechecked::default()) };
    let is_claim = matches!(request.operation(), Some(Operation::Create | Operation::Update));
    let kind = request.gvk.known().filter(|_| is_claim);
    let (Some(kind), Some(raw)) = (kind, request.raw()) else { return Ok(Rechecked::default()) };
    let partial = Partial::read(kind, raw.get());
    let Some(object) = partial.object.as_ref() else { return Ok(Rechecked::default()) };
    if !cluster.read().has_claim(&Facts::of(object)) {
        return Err(WriteNotShown);
    }
    let (object_ref, requester) = (request.object_ref(kind, Some(object)), Requester::of(&request, plan));
    let write = Write { operation: Operation::Stored, this: &object_ref, user: requester.user(), now };
    let view = SharedView { cluster, this: &object_ref, reserved: None, cpu: None };
    let old = request.old_object.and_then(|old| decode(kind, old.get()).ok());
    // Listeners are only looked at for what they lose.
    let outcome = is_reserved(kind).then(|| plan.check_written(&partial, old.as_ref(), &view, &write));
    let denials = outcome.iter().flat_map(|outcome| &outcome.findings);
    let denials = denials.filter(|evaluated| evaluated.action == Action::Deny);
    let findings: Vec<_> =
        denials.map(|evaluated| (evaluated.finding.check, render_whole(&evaluated.finding))).collect();
    let as_written = Write { operation: request.operation().unwrap_or(Operation::Create), ..write };
    // Of an old object that cannot be read it is not known what it had lost.
    let is_comparable = request.old_object.is_none() || old.is_some();
    let losses = match is_comparable {
        true => losses(plan, object, old.as_ref(), (&view, &as_written), cluster),
        false => Vec::new(),
    };
    Ok(Rechecked { late: (!findings.is_empty()).then_some(LateConflict { object_ref, findings }), losses })
}
