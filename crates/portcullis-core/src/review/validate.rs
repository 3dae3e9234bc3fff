//! Answers a validating review.

use std::borrow::Cow;
use std::time::Duration;

use jiff::Timestamp;

use super::answer::{AdmissionVerdict, Denied, ReviewResponse, Summary};
use super::canary;
use super::envelope::{self, Pass};
use super::error::ReviewError;
use super::request::{AdmissionRequest, RequestObject, Requester};
use super::reserve::Admission;
use super::unchanged::is_same;
use super::verdict::{self, Response};
use crate::checks::settings::HOST_RULE;
use crate::checks::{Before, Operation, Outcome, Plan, Write};
use crate::cluster::{CpuClock, Overlay, SharedCluster, SharedView};
use crate::finding::Action;
use crate::kinds::{DecodeError, Kind, Object, ObjectRef, Partial, decode};
use crate::message::{Disclosure, NAME, ROOM, truncate};

/// The response to the review in `text`. Where `elapsed` is given, a time on a clock that never steps back, the claims of an
/// admitted write are reserved from then on. Where `cpu` is given, the CPU time that the current thread has taken, a review
/// whose checks take too long is denied. A canary is denied in the name of `replica`.
pub fn validate(
    text: &str,
    plan: &Plan,
    cluster: &SharedCluster,
    elapsed: Option<Duration>,
    cpu: Option<CpuTime<'_>>,
    replica: &str,
    now: Timestamp,
) -> Result<ReviewResponse, ReviewError> {
    let request = envelope::read(text, Pass::Objects)?;
    let Some(kind) = request.gvk.known().filter(|kind| kind.is_validated()) else {
        return Ok(not_ours(
            &request,
            None,
            &format!("kind `{}` is not checked here", truncate(&request.gvk.kind, ROOM)),
        ));
    };
    if request.is_subresource() || &*request.verb == "CONNECT" {
        return Ok(allowed(&request, kind));
    }
    match request.operation() {
        Some(operation) => {
            let review = Review { request: &request, kind, operation, plan, cluster, elapsed, cpu, now };
            match canary::token(&request, operation) {
                Some(token) => review.answer_canary(token, replica),
                None => review.evaluate(),
            }
        }
        None => {
            let why = format!("operation `{}` is not checked here", truncate(&request.verb, ROOM));
            Ok(not_ours(&request, Some(kind), &why))
        }
    }
}

/// Returns the CPU time that the current thread has taken.
pub type CpuTime<'r> = &'r dyn Fn() -> Duration;

/// A review of an object that Portcullis checks.
struct Review<'r, 'a> {
    request: &'r AdmissionRequest<'a>,
    kind: Kind,
    operation: Operation,
    plan: &'r Plan,
    cluster: &'r SharedCluster,
    elapsed: Option<Duration>,
    cpu: Option<CpuTime<'r>>,
    now: Timestamp,
}

impl Review<'_, '_> {
    /// Denies the canary with `token`. A replica that does not know all kinds of its plan does not check everything yet, so it
    /// waits as for any other review; one that cannot read a kind denies less than it should, and proves nothing.
    fn answer_canary(&self, token: &str, replica: &str) -> Result<ReviewResponse, ReviewError> {
        let this = self.request.object_ref(self.kind, None);
        let (waiting, unreadable) = {
            let cluster = self.cluster.read();
            let overlay = Overlay::new(&cluster, &this);
            (overlay.not_synced(self.plan.needs()), overlay.unreadable(self.plan.needs_to_deny()))
        };
        if !waiting.is_empty() {
            return Err(ReviewError::NotSynced(waiting));
        }
        if !unreadable.is_empty() {
            return Err(ReviewError::Unreadable(unreadable));
        }
        let field = format!("metadata.annotations[{}]", canary::ANNOTATION);
        let response = Response::denied(&this, field, canary::message(token, replica));
        let summary = self.request.summary(Some(self.kind), AdmissionVerdict::Canary);
        Ok(ReviewResponse { body: response.into_json(&self.request.uid), summary })
    }

    fn evaluate(self) -> Result<ReviewResponse, ReviewError> {
        let Self { request, kind, operation, plan, cluster, elapsed, cpu, now } = self;
        let read = read(request, kind, operation);
        // Reading costs little for its size, which is limited, too.
        let cpu = cpu.map(CpuClock::start);
        let object = match &read {
            Read::Whole(object) => Some(object.as_ref()),
            Read::Partial(partial) => partial.object.as_ref(),
        };
        let this = request.object_ref(kind, object);
        let requester = Requester::of(request, plan);
        let write = Write { operation, this: &this, user: requester.user(), now };
        let old = || old(request, kind);
        let before = matches!(read, Read::Partial(_)).then(|| earlier(request, kind, operation));
        // Read before the checks, since the view may show a reserved object while they run.
        let since = cluster.read().reservations().latest_shown();
        let view = SharedView { cluster, this: &this, reserved: None, cpu };
        let mut judgement = match &read {
            Read::Whole(object) => plan.check(object, old, &view, &write),
            // Deleting an object that cannot be decoded is always allowed.
            Read::Partial(_) if operation == Operation::Delete => Outcome::default(),
            Read::Partial(partial) => {
                let before = before.as_ref().unwrap_or(&Before::Incomparable);
                plan.check_partial(partial, before, &view, &write)
            }
        };
        let mut changes_claim = false;
        if elapsed.is_some_and(|elapsed| is_about_released(&judgement, cluster, elapsed)) {
            return Err(ReviewError::Reserved);
        }
        if let (Some(object), Some(elapsed)) = (object, elapsed) {
            let admission = Admission { request, object, plan, cluster, write: &write, since, cpu, elapsed };
            changes_claim = admission.reserve(&mut judgement, old)?;
        }
        let mut response = answer(request, &write, plan, judgement)?;
        response.summary.is_claim |= changes_claim;
        Ok(response)
    }
}

/// Whether the write is denied only because of objects that have just given up a claim: the view may show their older state.
fn is_about_released(judgement: &Outcome, cluster: &SharedCluster, elapsed: Duration) -> bool {
    if !judgement.denies() || judgement.omitted_findings.iter().any(|omitted| omitted.action == Action::Deny) {
        return false;
    }
    let cluster = cluster.read();
    let reservations = cluster.reservations();
    let is_released = |other: &ObjectRef| reservations.is_released(other, elapsed);
    let mut denials = judgement.findings.iter().filter(|evaluated| evaluated.action == Action::Deny);
    denials.all(|evaluated| evaluated.finding.other.as_ref().is_some_and(is_released))
}

/// The object under review, decoded completely or in part.
enum Read<'r, 'a> {
    Whole(Cow<'r, Object<'a>>),
    Partial(Partial<'a>),
}

/// The object under review, decoded now if necessary. For a deletion, this is the deleted object.
fn read<'r, 'a>(request: &'r AdmissionRequest<'a>, kind: Kind, operation: Operation) -> Read<'r, 'a> {
    let raw = match (&request.object, operation) {
        (_, Operation::Delete) => request.old_object,
        (RequestObject::Decoded(object), _) => return Read::Whole(Cow::Borrowed(object)),
        (RequestObject::Raw(raw), _) => Some(*raw),
        (RequestObject::TooManyMaps { most, .. }, _) => return unreadable(format!("it has more than {most} maps")),
        (RequestObject::Absent, _) => None,
    };
    let Some(raw) = raw else { return unreadable("the review contains no object".to_owned()) };
    match decode(kind, raw.get()) {
        Ok(object) => Read::Whole(Cow::Owned(object)),
        Err(_) => Read::Partial(Partial::of_unreadable(kind, raw.get())),
    }
}

/// An object of which nothing can be decoded.
fn unreadable<'r, 'a>(message: String) -> Read<'r, 'a> {
    let error = DecodeError { message, ..DecodeError::default() };
    Read::Partial(Partial { object: None, decode_errors: vec![error] })
}

/// The old version of an object that can only be decoded in part.
fn earlier<'a>(request: &AdmissionRequest<'a>, kind: Kind, operation: Operation) -> Before<'a> {
    let new = match request.object {
        RequestObject::TooManyMaps { raw, .. } => Some(raw),
        _ => request.raw(),
    };
    match (operation, new, request.old_object) {
        (Operation::Update, Some(new), Some(old)) if is_same(new, old) => Before::Same,
        // Nothing of the new object can be compared, and the old one may have as many maps.
        _ if matches!(request.object, RequestObject::TooManyMaps { .. }) => Before::Incomparable,
        (Operation::Update, ..) => old(request, kind).map_or(Before::Incomparable, |old| Before::Other(Box::new(old))),
        _ => Before::Incomparable,
    }
}

/// The object before the write. If it cannot be decoded, no finding counts as preexisting.
fn old<'r>(request: &AdmissionRequest<'r>, kind: Kind) -> Option<Object<'r>> {
    decode(kind, request.old_object?.get()).ok()
}

fn answer(
    request: &AdmissionRequest<'_>,
    write: &Write<'_>,
    plan: &Plan,
    judgement: Outcome,
) -> Result<ReviewResponse, ReviewError> {
    let denied = judgement.denies();
    if !denied && !judgement.waiting.is_empty() {
        return Err(ReviewError::NotSynced(judgement.waiting));
    }
    let names = match plan.config().reveal_other_namespaces {
        true => Disclosure::All,
        false => Disclosure::Namespace(&write.this.namespace),
    };
    let response = verdict::of(&judgement, write.this, plan.config(), names);
    let verdict = if denied { AdmissionVerdict::Denied } else { AdmissionVerdict::Allowed };
    let summary = Summary {
        findings: verdict::acted(&judgement),
        denied: denied.then(|| Denied {
            uid: truncate(&request.uid, NAME),
            object: truncate(&write.this.to_string(), 2 * NAME),
            user: truncate(write.user.map_or("", |user| user.name), 2 * NAME),
            first: judgement.first_denial().cloned(),
            hosts: unowned_hosts(&judgement),
            has_other_denials: has_other_denials(&judgement),
        }),
        ..request.summary(Some(write.this.kind), verdict)
    };
    Ok(ReviewResponse { body: response.into_json(&request.uid), summary })
}

/// The hosts of the findings that deny since the host belongs to others or to no namespace.
fn unowned_hosts(judgement: &Outcome) -> Vec<String> {
    let denials = judgement.findings.iter().filter(|evaluated| evaluated.action == Action::Deny);
    let of_owners = denials.filter(|evaluated| evaluated.finding.check == HOST_RULE);
    of_owners.filter_map(|evaluated| Some(evaluated.finding.claim.as_ref()?.host.clone())).collect()
}

/// Whether something denies the write beside hosts that belong to others or to no namespace.
fn has_other_denials(judgement: &Outcome) -> bool {
    let mut denials = judgement.findings.iter().filter(|evaluated| evaluated.action == Action::Deny);
    denials.any(|evaluated| evaluated.finding.check != HOST_RULE || evaluated.finding.claim.is_none())
        || judgement.first_denial().is_none()
}

fn allowed(request: &AdmissionRequest<'_>, kind: Kind) -> ReviewResponse {
    let summary = request.summary(Some(kind), AdmissionVerdict::Allowed);
    ReviewResponse { body: Response::allowed().into_json(&request.uid), summary }
}

/// The response to a write that Portcullis does not check. A wrong webhook configuration may send one, which must not
/// block it.
fn not_ours(request: &AdmissionRequest<'_>, kind: Option<Kind>, why: &str) -> ReviewResponse {
    let summary = request.summary(kind, AdmissionVerdict::NotOurs);
    ReviewResponse { body: Response::allowed().warn(format!("portcullis: {why}")).into_json(&request.uid), summary }
}
