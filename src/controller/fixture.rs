//! A leading controller of one object, for unit tests: the test observes, evaluates and writes in the place of the loop.

use std::sync::Arc;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use serde_json::{Value, json};

use super::inbox::Observation;
use super::object::reduce;
use super::reconciler::Reconciler;
use super::write::{Outcome, Write};
use crate::telemetry::StatusMetrics;
use crate::watch::ServedKinds;
use portcullis_core::cluster::{Cluster, Ownership};
use portcullis_core::config::Config;
use portcullis_core::kinds::ObjectRef;
use portcullis_core::routing::delegation::GraphState;
use portcullis_core::status::{DesiredStatus, Evaluated};

/// A controller that may write its only object. Conditions are stamped with one time, whatever the clock shows.
pub struct Fixture {
    pub reconciler: Reconciler,
    pub now: Instant,
    /// The UID of the object.
    pub uid: &'static str,
    object_ref: ObjectRef,
    version: u32,
}

impl Fixture {
    /// The object has no status.
    pub fn new(object_ref: ObjectRef) -> Self {
        let mut reconciler = Reconciler::new(StatusMetrics::default());
        reconciler.clock = || Timestamp::UNIX_EPOCH;
        reconciler.lead(true);
        reconciler.queue.allow(&object_ref);
        let mut fixture = Self { reconciler, now: Instant::now(), uid: "u", object_ref, version: 0 };
        fixture.observe(&Value::Null);
        fixture
    }

    /// The next version of the object, with this status.
    pub fn object(&mut self, status: &Value) -> String {
        self.version += 1;
        let (ObjectRef { namespace, name, .. }, version) = (&self.object_ref, self.version.to_string());
        let metadata = json!({"namespace": namespace, "name": name, "uid": self.uid, "resourceVersion": version});
        json!({"metadata": metadata, "status": status}).to_string()
    }

    /// The watch shows the next version of the object.
    pub fn observe(&mut self, status: &Value) {
        let object = reduce(self.object_ref.kind, &self.object(status)).expect("an object");
        self.reconciler.store.observe(Observation::Applied(self.object_ref.clone(), object));
    }

    /// Evaluates the object, if that is due, with this result. Returns whether it was due.
    pub fn evaluate(&mut self, desired: Option<DesiredStatus>) -> bool {
        let state = &mut self.reconciler.store.state;
        let (config, ownership) = (Config::default(), Ownership::default());
        let rules = (&config, &ownership);
        let is_due = state.evaluate_next(&Cluster::default(), rules, &GraphState::default()).is_some();
        if is_due {
            let evaluated = Evaluated { object_ref: Arc::new(self.object_ref.clone()), desired, finalizer: None };
            self.reconciler.settle(evaluated, self.now, self.now);
        }
        is_due
    }

    /// After what delay the object will be written; `None` if it will not.
    pub fn delay(&self) -> Option<Duration> {
        let pending = self.reconciler.store.tracked[&self.object_ref].progress.pending.as_ref();
        pending.map(|pending| pending.due - self.now)
    }

    /// The write that may be made now.
    pub fn next(&mut self) -> Option<Write> {
        self.reconciler.next_write(&ServedKinds::with(|_| Some("v1")), self.now)
    }

    /// A write ends.
    pub fn finish(&mut self, write: Write, outcome: Outcome) {
        self.reconciler.finish(write, outcome, self.now);
    }

    /// A write ends well, with this status.
    pub fn finish_with(&mut self, write: Write, status: &Value) {
        let outcome = Outcome::Written(self.object(status));
        self.finish(write, outcome);
    }
}
