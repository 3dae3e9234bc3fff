//! Takes the next write from the queue, and takes in how writes ended.

use std::time::Instant;

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
            match self.begin(&object_ref, served, now) {
                Some(write) => return Some(write),
                None => self.queue.skip(&object_ref, now),
            }
        }
    }

    /// The write of an object from the version that is known now; `None` if it needs none any more, or if something has changed since
    /// it was evaluated, which will queue it again.
    fn begin(&mut self, object_ref: &ObjectRef, served: &ServedKinds, now: Instant) -> Option<Write> {
        let tracked = self.store.tracked.get_mut(object_ref)?;
        let Pending { desired, fingerprint, .. } = *tracked.progress.pending.take()?;
        if self.store.state.is_pending(object_ref) {
            return None;
        }
        let version = served.version(object_ref.kind)?;
        let stored = Stored::read(self.store.state.json(object_ref).unwrap_or_default());
        let schema = self.schemas.get(object_ref.kind);
        let compared = stored.compare(&desired, &schema, &self.controller, (self.clock)());
        let Some(change) = compared.change else {
            tracked.progress.confirm(fingerprint);
            return None;
        };
        tracked.progress.begin();
        let (uid, since) = (tracked.version.uid.clone(), tracked.progress.since.unwrap_or(now));
        Some(Write { object_ref: object_ref.clone(), uid, version, change, fingerprint, since })
    }

    /// Takes in how a write ended. The object is evaluated again, since what it should be like may have changed meanwhile.
    pub fn finish(&mut self, write: Write, outcome: Outcome, now: Instant) {
        let kind = write.object_ref.kind;
        self.note_access(&write.object_ref, &outcome, now);
        let Some(tracked) = self.store.tracked.get_mut(&write.object_ref) else { return };
        if tracked.version.uid != write.uid {
            // The object was deleted and created again; this says nothing about the new one.
            return;
        }
        tracked.progress.is_in_flight = false;
        match outcome {
            Outcome::Written(json) => self.written(&write, &json, now),
            Outcome::Conflict(fresh) => {
                self.metrics.conflicted(kind);
                tracked.progress.conflict(now);
                if let Some(fresh) = fresh {
                    self.refresh(&write.object_ref, &fresh, now);
                }
            }
            Outcome::NotFound(message) => {
                // An object that has just been deleted is not found once, and needs no write any more.
                if tracked.progress.fail(write.fingerprint, now) {
                    self.failed(&write.object_ref, &message);
                }
            }
            Outcome::Failed(message) | Outcome::Unanswered(message) => {
                tracked.progress.fail(write.fingerprint, now);
                self.failed(&write.object_ref, &message);
            }
            // The queue knows what is forbidden. Leadership may have returned meanwhile.
            Outcome::Forbidden(_) | Outcome::NotLeader => {}
        }
        self.store.state.touch_object(&write.object_ref);
    }

    fn written(&mut self, Write { object_ref, change, fingerprint, since, .. }: &Write, json: &str, now: Instant) {
        self.metrics.written(object_ref.kind, now - *since);
        let Some(tracked) = self.store.tracked.get_mut(object_ref) else { return };
        tracked.progress.confirm(*fingerprint);
        self.reports.extend(Report::of(object_ref, tracked, &change.transitions));
        self.refresh(object_ref, json, now);
    }

    /// Records whether a write was forbidden (RBAC). Of the namespaces in which a kind is forbidden, only the first is a warning.
    pub(super) fn note_access(&mut self, object_ref: &ObjectRef, outcome: &Outcome, now: Instant) {
        // What is known was forgotten with the leadership, or with the last object of the namespace, and so is what ends later.
        if !self.leads() || !self.store.has_any(object_ref.kind, &object_ref.namespace) {
            return;
        }
        let kind = object_ref.kind;
        match outcome {
            Outcome::NotLeader | Outcome::Unanswered(_) => self.queue.skip(object_ref, now),
            Outcome::Forbidden(error) => {
                let is_new = self.queue.forbid(object_ref, now);
                self.metrics.failed(kind);
                match self.count_forbidden(kind) {
                    1 if is_new => {
                        tracing::warn!(%kind, error, "the status of this kind may not be written (RBAC); retrying every 3 minutes");
                    }
                    _ if is_new => {
                        tracing::debug!(%kind, error, "the status may not be written in this namespace either (RBAC)");
                    }
                    _ => {}
                }
            }
            // The API server answers that a write is forbidden before anything else.
            Outcome::Written(_) | Outcome::Conflict(_) | Outcome::NotFound(_) | Outcome::Failed(_) => {
                if self.queue.allow(object_ref) && self.count_forbidden(kind) == 0 {
                    tracing::info!(%kind, "the status of this kind may be written again");
                }
            }
        }
    }

    /// When the next write may be made.
    pub fn next_due(&mut self, now: Instant) -> Option<Instant> {
        let due = self.queue.next_due(now);
        // What is known to be forbidden may have been forgotten.
        self.queue.kinds().for_each(|kind| self.metrics.forbidden(kind, self.queue.forbidden(kind)));
        due
    }

    /// Forgets whether a kind may be written in a namespace that has no object of the kind any more.
    pub(super) fn forget_access(&mut self, object_ref: &ObjectRef) {
        if !self.store.has_any(object_ref.kind, &object_ref.namespace) {
            self.queue.forget(object_ref.kind, &object_ref.namespace);
            self.count_forbidden(object_ref.kind);
        }
    }

    /// The number of namespaces in which a kind may not be written.
    fn count_forbidden(&self, kind: Kind) -> usize {
        let count = self.queue.forbidden(kind);
        self.metrics.forbidden(kind, count);
        count
    }

    /// Counts a failure, and logs it unless it is the same as before.
    fn failed(&mut self, object_ref: &ObjectRef, message: &str) {
        self.metrics.failed(object_ref.kind);
        let Some(tracked) = self.store.tracked.get_mut(object_ref) else { return };
        if tracked.progress.note_error(message) {
            tracing::warn!(object = %object_ref, error = message, "the status could not be written; retrying");
        }
    }

    fn refresh(&mut self, object_ref: &ObjectRef, json: &str, now: Instant) {
        match reduce(object_ref.kind, json) {
            Ok(object) => self.store.refresh(object_ref, object, now),
            Err(error) => {
                tracing::warn!(object = %object_ref, %error, "the answer of the API server cannot be decoded")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::super::access::FORBIDDEN_RETRY;
    use super::super::fixture::Fixture;
    use super::super::inbox::Observation;
    use super::*;
    use portcullis_core::status::DesiredStatus;

    const SECOND: Duration = Duration::from_secs(1);

    fn shop() -> ObjectRef {
        ObjectRef::new(Kind::Ingress, "web", "shop")
    }

    /// The status with this text.
    fn status(text: &str) -> Option<DesiredStatus> {
        let fields = json!({"text": text}).as_object().cloned().unwrap_or_default();
        Some(DesiredStatus { fields, ..DesiredStatus::default() })
    }

    fn text(write: &Write) -> &str {
        write.change.patch["status"]["text"].as_str().unwrap_or_default()
    }

    #[test]
    fn a_failed_write_is_repeated_after_its_delay() {
        let mut fixture = Fixture::new(shop());
        assert!(fixture.evaluate(status("a")));
        let write = fixture.next().expect("it differs");
        assert_eq!((text(&write), fixture.next().is_none()), ("a", true), "one write at a time");
        fixture.finish(write, Outcome::Failed("invalid".to_owned()));
        assert!(fixture.evaluate(status("a")) && fixture.next().is_none());
        fixture.now += SECOND;
        let write = fixture.next().expect("its delay is over");
        fixture.finish_with(write, &json!({"text": "a"}));
        assert!(fixture.evaluate(status("a")) && fixture.next().is_none());
        assert_eq!(fixture.reconciler.queue.len(), 0);
    }

    #[test]
    fn a_failed_write_is_not_repeated_for_an_object_that_has_left() {
        for outcome in
            [Outcome::Failed("invalid".to_owned()), Outcome::NotFound(String::new()), Outcome::Conflict(None)]
        {
            let mut fixture = Fixture::new(shop());
            fixture.evaluate(status("a"));
            let write = fixture.next().expect("it differs");
            fixture.observe(&Value::Null);
            assert!(fixture.evaluate(None), "it is of another class now");
            fixture.finish(write, outcome);
            fixture.now += SECOND;
            assert!(fixture.next().is_none(), "not before it is evaluated again");
            assert!(fixture.evaluate(None) && fixture.next().is_none());
            assert_eq!(fixture.reconciler.queue.len(), 0);
        }
    }

    #[test]
    fn an_object_that_is_not_found_counts_as_a_failure_the_second_time() {
        let mut fixture = Fixture::new(shop());
        let mut counted = Vec::new();
        for _ in 0..3 {
            fixture.evaluate(status("a"));
            let write = fixture.next().expect("its delay is over");
            fixture.finish(write, Outcome::NotFound("not found".to_owned()));
            counted.push(fixture.reconciler.metrics.failures(Kind::Ingress));
            fixture.now += 10 * SECOND;
        }
        assert_eq!(counted, [0, 1, 2]);
    }

    #[test]
    fn changed_object_is_evaluated_before_its_status_is_written() {
        let mut fixture = Fixture::new(shop());
        fixture.evaluate(status("a"));
        fixture.observe(&Value::Null);
        assert!(fixture.next().is_none());
        fixture.evaluate(status("b"));
        assert_eq!(fixture.next().as_ref().map(text), Some("b"));
    }

    #[test]
    fn a_write_of_a_deleted_object_says_nothing_about_its_successor() {
        let mut fixture = Fixture::new(shop());
        fixture.evaluate(status("a"));
        let old = fixture.next().expect("it differs");
        // A list shows the new object alone, without the deletion.
        fixture.uid = "v";
        fixture.observe(&Value::Null);
        fixture.evaluate(status("b"));
        let new = fixture.next().expect("no write of this object is under way");
        assert_eq!((text(&new), &*new.uid), ("b", "v"));
        fixture.finish(old, Outcome::Failed("invalid".to_owned()));
        assert!(!fixture.evaluate(status("b")), "nothing has changed");
        assert!(fixture.reconciler.store.tracked[&shop()].progress.is_in_flight);
        fixture.finish_with(new, &json!({"text": "b"}));
        assert!(fixture.evaluate(status("b")) && fixture.next().is_none());
    }

    #[test]
    fn a_write_without_the_lease_is_made_when_it_returns() {
        let mut fixture = Fixture::new(shop());
        fixture.evaluate(status("a"));
        let write = fixture.next().expect("it differs");
        // Leadership is lost and regained between two steps.
        fixture.finish(write, Outcome::NotLeader);
        assert!(fixture.evaluate(status("a")));
        assert_eq!(fixture.next().as_ref().map(text), Some("a"));
    }

    #[test]
    fn a_write_without_an_answer_shows_no_right() {
        let mut fixture = Fixture::new(shop());
        let forbidden = |fixture: &Fixture| fixture.reconciler.queue.forbidden(Kind::Ingress);
        let refused = || Outcome::Forbidden("no right".to_owned());
        fixture.reconciler.queue.forget(Kind::Ingress, "web");
        fixture.evaluate(status("a"));
        let write = fixture.next().expect("it differs");
        fixture.finish(write, refused());
        assert!(fixture.evaluate(status("a")) && fixture.next().is_none());
        fixture.now += FORBIDDEN_RETRY;
        let write = fixture.next().expect("one write shows whether this has changed");
        fixture.finish(write, Outcome::Unanswered("timed out".to_owned()));
        assert_eq!(forbidden(&fixture), 1);

        fixture.now += SECOND;
        assert!(fixture.evaluate(status("a")));
        fixture.now += SECOND;
        let write = fixture.next().expect("its delay is over");
        fixture.reconciler.store.observe(Observation::Deleted(shop()));
        fixture.reconciler.forget_access(&shop());
        assert_eq!(forbidden(&fixture), 0, "the namespace has no Ingress any more");
        fixture.finish(write, refused());
        assert_eq!(forbidden(&fixture), 0, "a write that ends later says nothing about the next object");
    }
}
