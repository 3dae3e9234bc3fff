//! Keeps the objects of one kind in the view in step with their watch.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use kube::runtime::watcher::Event as Watched;

use super::object::{UndecodableObject, WatchedObject};
use super::observer::ObjectObserver;
use portcullis_core::cluster::{Event, Facts, SharedCluster, SyncState};
use portcullis_core::kinds::{Kind, ObjectRef};

/// Applies the events of one watch to the view.
#[derive(Debug)]
pub struct KindReflector {
    kind: Kind,
    cluster: Arc<SharedCluster>,
    list: List,
    /// The objects that cannot be decoded and are not in the view. As long as there is one, the kind is only partially
    /// known.
    malformed: HashSet<ObjectRef>,
    observer: Option<Arc<dyn ObjectObserver>>,
}

/// The list that is being received.
#[derive(Debug)]
enum List {
    /// The view has no objects of the kind, so pages are applied as they arrive. Contains the events that are not
    /// applied yet, and the number of entries of their objects.
    Initial(Vec<Event>, usize),
    /// The view has objects of the kind. Contains the received objects, to be compared with the view at the end of the
    /// list; `None` for one that was applied at once.
    Relist(HashMap<ObjectRef, Option<Facts>>),
}

impl Default for List {
    fn default() -> Self {
        Self::Initial(Vec::new(), 0)
    }
}

/// The maximum number of objects of an initial list that are applied together.
const PAGE: usize = 256;

/// The number of entries with which objects of an initial list are applied, however few they are.
const PAGE_ENTRIES: usize = 20_000;

impl KindReflector {
    /// A reflector for the watch of `kind`.
    pub fn new(kind: Kind, cluster: Arc<SharedCluster>) -> Self {
        Self { kind, cluster, list: List::default(), malformed: HashSet::new(), observer: None }
    }

    /// The same with an observer, if it observes the kind.
    pub fn observed_by(self, observer: Option<&Arc<dyn ObjectObserver>>) -> Self {
        let observer = observer.filter(|observer| observer.kinds().contains(self.kind)).cloned();
        Self { observer, ..self }
    }

    /// Applies one event of the watch.
    pub fn apply_event(&mut self, event: Watched<WatchedObject>) {
        match event {
            Watched::Apply(object) => {
                let change = self.change(&object);
                self.apply(vec![change, Event::SyncState(self.kind, self.known())]);
                self.observe(|observer, kind| observer.applied(object.object_ref(kind), object.json()));
            }
            Watched::Delete(object) => {
                let object_ref = object.object_ref(self.kind);
                self.malformed.remove(&object_ref);
                self.apply(vec![Event::Delete(object_ref), Event::SyncState(self.kind, self.known())]);
                self.observe(|observer, kind| observer.deleted(object.object_ref(kind)));
            }
            Watched::Init => {
                self.begin();
                self.observe(|observer, kind| observer.list_begins(kind));
            }
            Watched::InitApply(object) => {
                let change = self.change(&object);
                self.collect(change);
                self.observe(|observer, kind| observer.applied(object.object_ref(kind), object.json()));
            }
            Watched::InitDone => {
                self.end();
                self.observe(|observer, kind| observer.list_ends(kind));
            }
        }
    }

    fn observe(&self, tell: impl FnOnce(&dyn ObjectObserver, Kind)) {
        if let Some(observer) = &self.observer {
            tell(&**observer, self.kind);
        }
    }

    fn begin(&mut self) {
        self.malformed = HashSet::new();
        let held = self.cluster.read().count(self.kind);
        self.list = if held == 0 { List::default() } else { List::Relist(HashMap::new()) };
    }

    fn collect(&mut self, change: Event) {
        match (&mut self.list, change) {
            (List::Initial(page, entries), change) => {
                *entries += if let Event::Apply(facts) = &change { facts.entries() } else { 0 };
                page.push(change);
                if page.len() == PAGE || *entries >= PAGE_ENTRIES {
                    let page = std::mem::take(page);
                    *entries = 0;
                    self.apply(page);
                }
            }
            (List::Relist(listed), Event::Apply(facts)) => {
                let object_ref = facts.object_ref();
                // What the view does not keep must not be kept here either.
                if self.cluster.read().is_cut(&object_ref) {
                    listed.insert(object_ref, None);
                    self.apply(vec![Event::Apply(facts)]);
                } else {
                    listed.insert(object_ref, Some(facts));
                }
            }
            (List::Relist(_), _) => {}
        }
    }

    /// Called at the end of a list, when absent objects are known to be absent.
    fn end(&mut self) {
        match std::mem::take(&mut self.list) {
            List::Initial(page, _) => self.apply(page),
            List::Relist(listed) => self.difference(listed),
        }
        self.learned(self.known());
    }

    /// Records in the view how much of the kind is known from now on.
    fn learned(&self, knowledge: SyncState) {
        self.apply(vec![Event::SyncState(self.kind, knowledge)]);
    }

    /// Removes the kind from the view, because it is not readable (RBAC), not served, or no longer needed.
    pub fn forget(&self, knowledge: SyncState) {
        // Change the sync state first, so that no removed object is ever taken to be absent from the cluster.
        self.learned(knowledge);
        self.apply(self.gone(&HashMap::new()));
        self.observe(|observer, kind| observer.forgotten(kind));
    }

    /// How much of the kind is known after a complete list.
    fn known(&self) -> SyncState {
        if self.malformed.is_empty() { SyncState::Complete } else { SyncState::Partial }
    }

    /// The change of the view for an object. If the object cannot be decoded, the view's facts about it are outdated,
    /// so it is removed. An object of a kind with verdicts stays in the view, marked as unreadable.
    fn change(&mut self, object: &WatchedObject) -> Event {
        let object_ref = object.object_ref(self.kind);
        match object.facts(self.kind) {
            Ok(facts) => {
                self.malformed.remove(&object_ref);
                Event::Apply(facts)
            }
            Err(UndecodableObject { message: error, facts }) => {
                tracing::warn!(object = %object_ref, error, "object cannot be decoded");
                match facts {
                    Some(facts) => Event::Apply(*facts),
                    None => {
                        self.malformed.insert(object_ref.clone());
                        Event::Delete(object_ref)
                    }
                }
            }
        }
    }

    /// Updates the view to match the list. The comparison needs only a read lock, so reviews continue; no other task
    /// writes this kind.
    fn difference(&self, listed: HashMap<ObjectRef, Option<Facts>>) {
        let mut events = self.gone(&listed);
        let view = self.cluster.read();
        events.extend(listed.into_values().flatten().filter(|facts| !view.holds(facts)).map(Event::Apply));
        drop(view);
        self.apply(events);
    }

    fn gone(&self, listed: &HashMap<ObjectRef, Option<Facts>>) -> Vec<Event> {
        let held = self.cluster.read().object_refs(self.kind);
        held.into_iter().filter(|object_ref| !listed.contains_key(object_ref)).map(Event::Delete).collect()
    }

    fn apply(&self, events: Vec<Event>) {
        self.cluster.apply(events);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn object(json: &str) -> WatchedObject {
        serde_json::from_str(json).expect("an object")
    }

    fn ingress(number: usize) -> Watched<WatchedObject> {
        Watched::InitApply(object(&format!(r#"{{"metadata":{{"namespace":"web","name":"shop-{number}"}}}}"#)))
    }

    #[test]
    fn malformed_ingress_route_is_known_and_any_other_malformed_object_is_not() {
        let after = |kind: Kind, json: &str| {
            let cluster = Arc::<SharedCluster>::default();
            let mut reflector = KindReflector::new(kind, Arc::clone(&cluster));
            let events = [Watched::Init, Watched::InitApply(object(json)), Watched::InitDone];
            events.into_iter().for_each(|event| reflector.apply_event(event));
            let view = cluster.read();
            (view.count(kind), view.knowledge(kind))
        };
        let json = r#"{"metadata":{"namespace":"web","name":"shop"},"spec":7}"#;
        assert_eq!(after(Kind::IngressRoute, json), (1, SyncState::Complete));
        assert_eq!(after(Kind::Ingress, json), (0, SyncState::Partial));
    }

    #[test]
    fn initial_list_is_applied_by_pages_and_complete_at_its_end() {
        let cluster = Arc::<SharedCluster>::default();
        let mut reflector = KindReflector::new(Kind::Ingress, Arc::clone(&cluster));
        let known = || {
            let view = cluster.read();
            (view.count(Kind::Ingress), view.knowledge(Kind::Ingress))
        };
        reflector.apply_event(Watched::Init);
        (0..PAGE + 1).for_each(|number| reflector.apply_event(ingress(number)));
        assert_eq!(known(), (PAGE, SyncState::NotSynced));
        // The list fails and starts again; the objects of its first part no longer exist then.
        reflector.apply_event(Watched::Init);
        (PAGE..PAGE + 2).for_each(|number| reflector.apply_event(ingress(number)));
        assert_eq!(known(), (PAGE, SyncState::NotSynced));
        reflector.apply_event(Watched::InitDone);
        assert_eq!(known(), (2, SyncState::Complete));
    }
}
