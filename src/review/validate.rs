//! From a validating review to its answer.

use std::borrow::Cow;
use std::sync::RwLock;

use jiff::Timestamp;

use super::answer::{Answer, Denied, Refusal, Summary, Verdict};
use super::envelope::{self, Pass};
use super::request::{Content, Request, UserInfo};
use super::verdict::{self, Response};
use crate::checks::{Judgement, Operation, Plan, Write};
use crate::cluster::{Cluster, Overlay, Promise, Promises, User};
use crate::finding::Action;
use crate::kinds::{Kind, Misfit, Object, decode};
use crate::sentence::{NAME, Names, ROOM, brief};

/// The answer to the review in `text`; a root that may come is promised its host if the cluster `promises` any.
pub fn validate(
    text: &str,
    plan: &Plan,
    cluster: &RwLock<Cluster>,
    promises: bool,
    now: Timestamp,
) -> Result<Answer, Refusal> {
    let request = envelope::read(text, Pass::Objects)?;
    let Some(kind) = request.gvk.known().filter(|kind| kind.is_judged()) else {
        return Ok(not_ours(&request, None, &format!("kind `{}` is not judged here", brief(&request.gvk.kind, ROOM))));
    };
    if request.is_subresource() || &*request.verb == "CONNECT" {
        return Ok(allowed(&request, kind));
    }
    match request.operation() {
        Some(operation) => {
            let answer = judge(&request, kind, operation, plan, cluster, now)?;
            let is_to_come = promises && Promises::is_for(kind) && !request.is_dry_run;
            match is_to_come && !is_promised(&request, operation, &answer, cluster, now) {
                // Another one for the same host was let in meanwhile.
                true => judge(&request, kind, operation, plan, cluster, now),
                false => Ok(answer),
            }
        }
        None => {
            let why = format!("operation `{}` is not judged here", brief(&request.verb, ROOM));
            Ok(not_ours(&request, Some(kind), &why))
        }
    }
}

/// Promises a root that is let in its host, and ends the promise of one that goes; false where somebody else was promised it.
fn is_promised(
    request: &Request<'_>,
    operation: Operation,
    answer: &Answer,
    cluster: &RwLock<Cluster>,
    now: Timestamp,
) -> bool {
    match (operation, &request.object) {
        _ if answer.summary.verdict != Verdict::Allowed => true,
        (Operation::Create, Content::Read(object)) => {
            let promise = Promise::of(object, &request.place(object.kind(), Some(object)), now);
            promise.is_none_or(|promise| super::change(cluster).promises_mut().give(promise, now))
        }
        (Operation::Delete, _) if !super::lend(cluster).promises().is_empty() => {
            let place = request.gvk.known().map(|kind| request.place(kind, None));
            place.iter().for_each(|place| super::change(cluster).promises_mut().end(place));
            true
        }
        _ => true,
    }
}

fn judge(
    request: &Request<'_>,
    kind: Kind,
    operation: Operation,
    plan: &Plan,
    cluster: &RwLock<Cluster>,
    now: Timestamp,
) -> Result<Answer, Refusal> {
    let decoded = decoded(request, kind, operation);
    let object = decoded.as_ref().ok().map(Cow::as_ref);
    let this = request.place(kind, object);
    let user = request.user.as_ref();
    let groups = user.filter(|_| plan.needs_groups()).map(UserInfo::groups).unwrap_or_default();
    let extra = user.filter(|_| plan.needs_extra()).map(UserInfo::extra).unwrap_or_default();
    let user = user.map(|user| User { name: &user.username, groups: &groups, extra: &extra });
    let write = Write { operation, this: &this, user, now };
    let judgement = match &decoded {
        Ok(object) => {
            // Held for the checks alone, so that neither reading nor writing texts keeps an event of the cluster waiting.
            let cluster = super::lend(cluster);
            plan.check(object, || old(request, kind), &Overlay::new(&cluster, &this), &write)
        }
        // What cannot be read can only get better by going.
        Err(_) if operation == Operation::Delete => Judgement::default(),
        Err(misfit) => {
            let was_so = operation == Operation::Update && old_misfit(request, kind).as_ref() == Some(misfit);
            plan.check_unreadable(misfit, was_so, &Overlay::new(&super::lend(cluster), &this), &write)
        }
    };
    answer(request, &write, plan, judgement)
}

/// The object under review, read already or now; for a deletion the one that goes. Otherwise why there is none.
fn decoded<'r, 'a>(request: &'r Request<'a>, kind: Kind, operation: Operation) -> Result<Cow<'r, Object<'a>>, Misfit> {
    let raw = match (&request.object, operation) {
        (_, Operation::Delete) => request.old_object,
        (Content::Read(object), _) => return Ok(Cow::Borrowed(object)),
        (Content::Raw(raw), _) => Some(*raw),
        (Content::Absent, _) => None,
    };
    let missing = || Misfit { words: "there is no object in the review".to_owned(), ..Misfit::default() };
    let raw = raw.ok_or_else(missing)?;
    decode(kind, raw.get()).map(Cow::Owned).map_err(|_| Misfit::of(kind, raw.get()))
}

/// Why the object as it is cannot be read, if it cannot.
fn old_misfit(request: &Request<'_>, kind: Kind) -> Option<Misfit> {
    let old = request.old_object?.get();
    decode(kind, old).err().map(|_| Misfit::of(kind, old))
}

/// The object as it is. One that cannot be read has no findings to take away.
fn old<'r>(request: &Request<'r>, kind: Kind) -> Option<Object<'r>> {
    decode(kind, request.old_object?.get()).ok()
}

fn answer(request: &Request<'_>, write: &Write<'_>, plan: &Plan, judgement: Judgement) -> Result<Answer, Refusal> {
    let denied = judgement.findings.iter().any(|judged| judged.action == Action::Deny);
    if !denied && !judgement.waiting.is_empty() {
        return Err(Refusal::NotSynced(judgement.waiting));
    }
    let names = match plan.config().reveal_other_namespaces {
        true => Names::All,
        false => Names::OnlyOf(&write.this.namespace),
    };
    let response = verdict::of(&judgement, write.this, plan.config(), names);
    let summary = Summary {
        kind: Some(write.this.kind),
        verdict: if denied { Verdict::Denied } else { Verdict::Allowed },
        findings: judgement.findings.iter().map(|judged| (judged.finding.check, judged.action)).collect(),
        denied: denied.then(|| Denied {
            uid: brief(&request.uid, NAME),
            object: brief(&write.this.to_string(), 2 * NAME),
            user: brief(write.user.map_or("", |user| user.name), 2 * NAME),
        }),
    };
    Ok(Answer { body: response.into_json(&request.uid), summary })
}

fn allowed(request: &Request<'_>, kind: Kind) -> Answer {
    let summary = Summary { kind: Some(kind), verdict: Verdict::Allowed, findings: Vec::new(), denied: None };
    Answer { body: Response::allowed().into_json(&request.uid), summary }
}

/// A write that somebody sends here by mistake must not be blocked for it.
fn not_ours(request: &Request<'_>, kind: Option<Kind>, why: &str) -> Answer {
    let summary = Summary { kind, verdict: Verdict::NotOurs, findings: Vec::new(), denied: None };
    Answer { body: Response::allowed().warn(format!("portcullis: {why}")).into_json(&request.uid), summary }
}
