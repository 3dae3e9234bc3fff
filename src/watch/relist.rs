//! One kind's part of the view, kept at what its watch says.

use std::collections::{HashMap, HashSet};
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
    /// Objects of another shape: while there is one, not every object is known.
    misshapen: HashSet<ObjectRef>,
}

impl Relist {
    /// For the watch of `kind`.
    pub fn new(kind: Kind, cluster: Arc<RwLock<Cluster>>) -> Self {
        Self { kind, cluster, listed: HashMap::new(), misshapen: HashSet::new() }
    }

    /// Takes in one event.
    pub fn take<const KIND: usize>(&mut self, event: Watched<Seen<KIND>>) {
        match event {
            Watched::Apply(seen) => {
                let change = self.change(seen);
                self.apply(vec![change, Event::Learned(self.kind, self.known())]);
            }
            Watched::Delete(seen) => {
                self.misshapen.remove(&seen.place());
                self.apply(vec![Event::Gone(seen.place()), Event::Learned(self.kind, self.known())]);
            }
            Watched::Init => (self.listed, self.misshapen) = (HashMap::new(), HashSet::new()),
            Watched::InitApply(seen) => {
                if let Event::Put(facts) = self.change(seen) {
                    self.listed.insert(facts.place(), facts);
                }
            }
            Watched::InitDone => self.difference(),
        }
    }

    /// Notes how much of the kind is known from now on.
    fn learned(&self, knowledge: Knowledge) {
        self.apply(vec![Event::Learned(self.kind, knowledge)]);
    }

    /// Forgets the kind: what may not be read any more, or is needed no more, is not known any more.
    pub fn forget(&self, knowledge: Knowledge) {
        // First, so that what goes is at no moment known to be absent.
        self.learned(knowledge);
        self.apply(self.gone(&HashMap::new()));
    }

    /// How much is known after a whole list.
    fn known(&self) -> Knowledge {
        if self.misshapen.is_empty() { Knowledge::Complete } else { Knowledge::Partial }
    }

    /// An object of another shape leaves the view: what it was is no longer true, and what it is nobody knows.
    fn change<const KIND: usize>(&mut self, seen: Seen<KIND>) -> Event {
        let place = seen.place();
        match seen.facts {
            Ok(facts) => {
                self.misshapen.remove(&place);
                Event::Put(facts)
            }
            Err(error) => {
                tracing::warn!(object = %place, error, "an object cannot be read; the watch goes on without it");
                self.misshapen.insert(place.clone());
                Event::Gone(place)
            }
        }
    }

    /// Brings the view to the list. What is compared is read-locked, so reviews go on; only this watch writes its kind.
    fn difference(&mut self) {
        let listed = std::mem::take(&mut self.listed);
        let mut events = self.gone(&listed);
        let view = self.cluster.read().unwrap_or_else(PoisonError::into_inner);
        events.extend(listed.into_values().filter(|facts| !view.holds(facts)).map(Event::Put));
        drop(view);
        self.apply(events);
        self.learned(self.known());
    }

    fn gone(&self, listed: &HashMap<ObjectRef, Facts>) -> Vec<Event> {
        let held = self.cluster.read().unwrap_or_else(PoisonError::into_inner).places(self.kind);
        held.into_iter().filter(|place| !listed.contains_key(place)).map(Event::Gone).collect()
    }

    fn apply(&self, events: Vec<Event>) {
        Cluster::apply_all(&self.cluster, events);
    }
}
