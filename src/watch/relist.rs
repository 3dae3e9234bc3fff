//! One kind's part of the view, kept at what its watch says.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use kube::runtime::watcher::Event as Watched;

use super::seen::Seen;
use crate::cluster::{Cluster, Event, Facts, Knowledge};
use crate::kinds::{Kind, ObjectRef};

/// Takes in the events of one watch.
#[derive(Debug)]
pub struct Relist {
    kind: Kind,
    cluster: Arc<RwLock<Cluster>>,
    /// The list that is coming in, while one is.
    listed: HashMap<ObjectRef, Facts>,
}

impl Relist {
    /// For the watch of `kind`.
    pub fn new(kind: Kind, cluster: Arc<RwLock<Cluster>>) -> Self {
        Self { kind, cluster, listed: HashMap::new() }
    }

    /// Takes in one event.
    pub fn take<const KIND: usize>(&mut self, event: Watched<Seen<KIND>>) {
        match event {
            Watched::Apply(seen) => self.apply(vec![self.change(seen)]),
            Watched::Delete(seen) => self.apply(vec![Event::Gone(seen.place())]),
            Watched::Init => self.listed = HashMap::new(),
            Watched::InitApply(seen) => {
                if let Event::Put(facts) = self.change(seen) {
                    self.listed.insert(facts.place(), facts);
                }
            }
            Watched::InitDone => self.difference(),
        }
    }

    /// Notes that the kind cannot be read, or that it will be.
    pub fn learned(&self, knowledge: Knowledge) {
        self.apply(vec![Event::Learned(self.kind, knowledge)]);
    }

    /// An object of another shape leaves the view: what it was is no longer true.
    fn change<const KIND: usize>(&self, seen: Seen<KIND>) -> Event {
        let place = seen.place();
        seen.facts.map(Event::Put).unwrap_or_else(|error| {
            tracing::warn!(object = %place, error, "an object cannot be read; the watch goes on without it");
            Event::Gone(place)
        })
    }

    /// Brings the view to the list. What is compared is read-locked, so reviews go on; only this watch writes its kind.
    fn difference(&mut self) {
        let listed = std::mem::take(&mut self.listed);
        let mut events = self.gone(&listed);
        let view = self.cluster.read().unwrap_or_else(PoisonError::into_inner);
        events.extend(listed.into_values().filter(|facts| !view.holds(facts)).map(Event::Put));
        drop(view);
        self.apply(events);
        self.learned(Knowledge::Complete);
    }

    fn gone(&self, listed: &HashMap<ObjectRef, Facts>) -> Vec<Event> {
        let held = self.cluster.read().unwrap_or_else(PoisonError::into_inner).places(self.kind);
        held.into_iter().filter(|place| !listed.contains_key(place)).map(Event::Gone).collect()
    }

    fn apply(&self, events: Vec<Event>) {
        Cluster::apply_all(&self.cluster, events);
    }
}
