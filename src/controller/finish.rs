//! Takes the next write from the queue, and takes in how writes ended.

use std::time::Instant;

use jiff::Timestamp;

use super::access::FORBIDDEN_RETRY;
use super::change::Stored;
use super::object::reduce;
use super::progress::Pending;
use super::reconciler::Reconciler;
use super::report::Report;
use super::write::{Outcome, Write};
use crate::watch::ServedKinds;
use portcullis_core::kinds::{Kind, ObjectRef};

impl Reconciler {
    /// The next write that may be made, which is under way from now on.
    pub fn next_write(&mut self, served: &ServedKinds, now: Instant) -> Option<Write> {
        loop {
            let object_ref = self.queue.pop(now)?;
            let kind = object_ref.kind;
            match self.begin(object_ref, served) {
                Some(write) => return Some(write),
                None => self.queue.access(kind).skip(now),
            }
        }
    }

    /// The write of an object from the version that is known now; `None` if it needs none any more.
    fn begin(&mut self, object_ref: ObjectRef, served: &ServedKinds) -> Option<Write> {
        let tracked = self.store.tracked.get_mut(&object_ref)?;
        let Pending { desired, fingerprint, since, .. } = *tracked.progress.pending.take()?;
        let version = served.version(object_ref.kind)?;
        let stored = Stored::read(self.store.state.json(&object_ref).unwrap_or_default());
        let schema = self.schemas.get(object_ref.kind);
        let compared = stored.compare(&desired, &schema, &self.controller, Timestamp::now());
        let Some(change) = compared.change else {
            tracked.progress.rest(fingerprint, compared.dropped.is_empty());
            return None;
        };
        tracked.progress.is_in_flight = true;
        Some(Write { object_ref, version, change, desired, fingerprint, since })
    }

    /// Takes in how a write ended.
    pub fn finish(&mut self, write: Write, outcome: Outcome, now: Instant) {
        let kind = write.object_ref.kind;
        self.note_access(kind, &outcome, now);
        let Some(tracked) = self.store.tracked.get_mut(&write.object_ref) else { return };
        tracked.progress.is_in_flight = false;
        let again = match outcome {
            Outcome::Written(json) => return self.written(write, &json, now),
            Outcome::NotLeader => return,
            Outcome::Conflict(fresh) => {
                self.metrics.conflicted(kind);
                let again = tracked.progress.conflict(now);
                if let Some(fresh) = fresh {
                    self.refresh(&write.object_ref, &fresh);
                }
                again
            }
            Outcome::Forbidden(_) => now + FORBIDDEN_RETRY,
            // The object has probably been deleted a moment ago.
            Outcome::NotFound(message) => tracked.progress.fail(write.fingerprint, &message, now).0,
            Outcome::Failed(message) => self.failed(&write, &message, now),
        };
        self.retry(write, again);
    }

    /// Queues a write again, unless a newer evaluation has already replaced it.
    fn retry(&mut self, write: Write, due: Instant) {
        let Some(tracked) = self.store.tracked.get_mut(&write.object_ref) else { return };
        let Write { object_ref, desired, fingerprint, since, .. } = write;
        let new = || Box::new(Pending { desired, fingerprint, since, due });
        let pending = tracked.progress.pending.get_or_insert_with(new);
        self.queue.add(pending.due, object_ref);
    }

    fn written(&mut self, write: Write, json: &str, now: Instant) {
        let Write { object_ref, change, fingerprint, since, .. } = write;
        self.metrics.written(object_ref.kind, now - since);
        let Some(tracked) = self.store.tracked.get_mut(&object_ref) else { return };
        // A status that was evaluated meanwhile is evaluated again with the stored version.
        tracked.progress.confirm(fingerprint);
        self.reports.extend(Report::of(&object_ref, tracked, &change.transitions));
        self.refresh(&object_ref, json);
        self.store.state.touch_object(&object_ref);
    }

    /// Records whether a write was forbidden (RBAC).
    pub(super) fn note_access(&mut self, kind: Kind, outcome: &Outcome, now: Instant) {
        // What is known was forgotten with the leadership, and so is what ends later.
        if !self.leads() {
            return;
        }
        let access = self.queue.access(kind);
        match outcome {
            Outcome::NotLeader => access.skip(now),
            Outcome::Forbidden(message) => {
                self.metrics.failed(kind);
                self.metrics.forbidden(kind, true);
                if access.forbid(now) {
                    tracing::warn!(%kind, error = message, "the status of this kind may not be written (RBAC); retrying every 3 minutes");
                }
            }
            // The API server answers that a write is forbidden before anything else.
            Outcome::Written(_) | Outcome::Conflict(_) | Outcome::NotFound(_) | Outcome::Failed(_) => {
                if access.allow() {
                    tracing::info!(%kind, "the status of this kind may be written again");
                    self.metrics.forbidden(kind, false);
                }
            }
        }
    }

    fn failed(&mut self, write: &Write, message: &str, now: Instant) -> Instant {
        self.metrics.failed(write.object_ref.kind);
        let Some(tracked) = self.store.tracked.get_mut(&write.object_ref) else { return now };
        let (again, is_new) = tracked.progress.fail(write.fingerprint, message, now);
        if is_new {
            tracing::warn!(object = %write.object_ref, error = message, "the status could not be written; retrying");
        }
        again
    }

    fn refresh(&mut self, object_ref: &ObjectRef, json: &str) {
        match reduce(object_ref.kind, json) {
            Ok(object) => self.store.refresh(object_ref, object),
            Err(error) => {
                tracing::warn!(object = %object_ref, %error, "the answer of the API server cannot be decoded")
            }
        }
    }
}
