//! Collects what the watches deliver until the controller takes it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::Notify;

use super::object::{ReducedObject, reduce};
use crate::watch::{ObjectObserver, ServedKinds};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};
use portcullis_core::status;

/// Something that a watch delivered.
#[derive(Debug)]
pub enum Observation {
    /// An object exists in this version.
    Applied(ObjectRef, ReducedObject),
    /// An object was deleted.
    Deleted(ObjectRef),
    /// A list of all objects of a kind begins, at this time.
    ListBegins(Kind, Instant),
    /// It has ended.
    ListEnds(Kind),
    /// Nothing is known of a kind any more.
    Forgotten(Kind),
}

/// The observations that the controller has not taken yet.
#[derive(Debug)]
pub struct Inbox {
    wake: Arc<Notify>,
    content: Mutex<Content>,
}

#[derive(Debug, Default)]
struct Content {
    observations: Vec<Observation>,
    served: Option<ServedKinds>,
}

impl Inbox {
    /// An empty inbox, which notifies `wake` of what it receives.
    pub fn new(wake: Arc<Notify>) -> Self {
        Self { wake, content: Mutex::default() }
    }

    /// The observations since the last call, in order.
    pub fn take(&self) -> Vec<Observation> {
        std::mem::take(&mut self.lock().observations)
    }

    /// What the API server serves; `None` until it is known.
    pub fn served(&self) -> Option<ServedKinds> {
        self.lock().served
    }

    fn add(&self, observation: Observation) {
        self.lock().observations.push(observation);
        self.wake.notify_one();
    }

    /// No code panics between two changes of the content, so a poisoned lock is usable.
    fn lock(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ObjectObserver for Inbox {
    fn kinds(&self) -> KindSet {
        status::KINDS
    }

    fn applied(&self, object_ref: ObjectRef, json: &str) {
        match reduce(object_ref.kind, json) {
            Ok(object) => self.add(Observation::Applied(object_ref, object)),
            Err(error) => {
                tracing::warn!(object = %object_ref, %error, "object cannot be decoded; its status is not written")
            }
        }
    }

    fn deleted(&self, object_ref: ObjectRef) {
        self.add(Observation::Deleted(object_ref));
    }

    fn list_begins(&self, kind: Kind) {
        self.add(Observation::ListBegins(kind, Instant::now()));
    }

    fn list_ends(&self, kind: Kind) {
        self.add(Observation::ListEnds(kind));
    }

    fn forgotten(&self, kind: Kind) {
        self.add(Observation::Forgotten(kind));
    }

    fn served(&self, served: &ServedKinds) {
        self.lock().served = Some(*served);
        self.wake.notify_one();
    }
}
