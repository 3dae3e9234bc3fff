//! The objects that have a status: what the watches and the own writes say of them.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::time::Instant;

use super::inbox::Observation;
use super::object::{ReducedObject, Version};
use super::progress::Progress;
use portcullis_core::kinds::{Kind, ObjectRef};
use portcullis_core::status::StatusState;

/// The objects that have a status.
#[derive(Debug, Default)]
pub struct Store {
    /// The objects, and what their status depends on.
    pub state: StatusState,
    /// The same objects, and how far their writes have come.
    pub tracked: HashMap<ObjectRef, Tracked>,
    /// The number of objects by kind and namespace.
    counts: HashMap<(Kind, String), usize>,
    /// The lists that have not ended.
    listing: HashMap<Kind, Listing>,
}

/// A list of all objects of a kind.
#[derive(Debug)]
struct Listing {
    /// When it began, before the API server was asked for it.
    began: Instant,
    objects: HashMap<ObjectRef, ReducedObject>,
}

/// An object that has a status.
#[derive(Debug, Default)]
pub struct Tracked {
    /// The newest known version.
    pub version: Version,
    /// When the API server answered with this version; `None` if a watch delivered it.
    answered: Option<Instant>,
    /// How far its writes have come.
    pub progress: Progress,
    /// Whether it was reported that another manager writes the status.
    pub is_reported: bool,
    /// Whether a list of the status has no room for own entries, which was reported.
    pub is_full: bool,
}

impl Store {
    /// Takes in what a watch delivered. Returns the objects that no longer exist.
    pub fn observe(&mut self, observation: Observation) -> Vec<(ObjectRef, Tracked)> {
        match observation {
            Observation::Applied(object_ref, object) => match self.listing.get_mut(&object_ref.kind) {
                Some(listing) => drop(listing.objects.insert(object_ref, object)),
                None => self.put(object_ref, object, None),
            },
            Observation::Deleted(object_ref) => return self.remove([object_ref]),
            Observation::ListBegins(kind, began) => {
                self.listing.insert(kind, Listing { began, objects: HashMap::new() });
            }
            Observation::ListEnds(kind) => {
                if let Some(listing) = self.listing.remove(&kind) {
                    return self.replace(kind, listing);
                }
            }
            Observation::Forgotten(kind) => {
                self.listing.remove(&kind);
                return self.retain(|object_ref| object_ref.kind != kind);
            }
        }
        Vec::new()
    }

    /// Takes in the answer to a read or a write of an object, unless it is older than what is known, or the object is deleted.
    pub fn refresh(&mut self, object_ref: &ObjectRef, object: ReducedObject, answered: Instant) {
        if self.tracked.get(object_ref).is_some_and(|tracked| tracked.version.uid == object.version.uid) {
            self.put(object_ref.clone(), object, Some(answered));
        }
    }

    /// Whether there are objects of a kind in a namespace.
    pub fn has_any(&self, kind: Kind, namespace: &str) -> bool {
        self.counts.contains_key(&(kind, namespace.to_owned()))
    }

    /// Adds an object or a newer version of it.
    fn put(&mut self, object_ref: ObjectRef, object: ReducedObject, answered: Option<Instant>) {
        let known = self.tracked.get(&object_ref);
        if !known.is_some_and(|tracked| object.version.is_known(&tracked.version)) {
            self.set(object_ref, object, answered);
        }
    }

    fn set(
        &mut self,
        object_ref: ObjectRef,
        ReducedObject { json, version }: ReducedObject,
        answered: Option<Instant>,
    ) {
        let counts = &mut self.counts;
        let tracked = self.tracked.entry(object_ref.clone()).or_insert_with(|| {
            *counts.entry((object_ref.kind, object_ref.namespace.clone())).or_default() += 1;
            Tracked::default()
        });
        if tracked.version.uid != version.uid {
            tracked.progress.renew();
            (tracked.is_reported, tracked.is_full) = (false, false);
        }
        (tracked.version, tracked.answered) = (version, answered);
        self.state.put(object_ref, json);
    }

    /// Replaces all objects of a kind by those of a list. The list may be older than what is known: than the answer to a write that was
    /// made during the list, which stays, or than everything if the cluster was restored.
    fn replace(&mut self, kind: Kind, Listing { began, objects }: Listing) -> Vec<(ObjectRef, Tracked)> {
        let gone = self.retain(|object_ref| object_ref.kind != kind || objects.contains_key(object_ref));
        for (object_ref, object) in objects {
            let is_known = self.tracked.get(&object_ref).is_some_and(|Tracked { version, answered, .. }| {
                let is_later = answered.is_some_and(|answered| answered >= began);
                *version == object.version || (is_later && object.version.is_known(version))
            });
            if !is_known {
                self.set(object_ref, object, None);
            }
        }
        gone
    }

    /// Removes the other objects.
    fn retain(&mut self, is_kept: impl Fn(&ObjectRef) -> bool) -> Vec<(ObjectRef, Tracked)> {
        let gone: Vec<ObjectRef> = self.tracked.keys().filter(|object_ref| !is_kept(object_ref)).cloned().collect();
        self.remove(gone)
    }

    fn remove(&mut self, gone: impl IntoIterator<Item = ObjectRef>) -> Vec<(ObjectRef, Tracked)> {
        gone.into_iter().filter_map(|object_ref| self.remove_one(&object_ref)).collect()
    }

    fn remove_one(&mut self, object_ref: &ObjectRef) -> Option<(ObjectRef, Tracked)> {
        self.state.remove(object_ref);
        let removed = self.tracked.remove_entry(object_ref)?;
        if let Entry::Occupied(mut count) = self.counts.entry((object_ref.kind, object_ref.namespace.clone())) {
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        }
        Some(removed)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn object(uid: &str, version: &str) -> ReducedObject {
        let version = Version { uid: uid.into(), resource_version: version.into(), ..Version::default() };
        ReducedObject { json: "{}".into(), version }
    }

    fn shop() -> ObjectRef {
        ObjectRef::new(Kind::Gateway, "web", "shop")
    }

    fn version(store: &Store) -> Option<&str> {
        store.tracked.get(&shop()).map(|tracked| &*tracked.version.resource_version)
    }

    #[test]
    fn the_answer_to_a_write_and_its_event_are_one_change() {
        let mut store = Store::default();
        store.observe(Observation::Applied(shop(), object("u", "5")));
        store.state.touch_everything();
        store.refresh(&shop(), object("u", "7"), Instant::now());
        store.observe(Observation::Applied(shop(), object("u", "6")));
        assert_eq!(version(&store), Some("7"), "an event that comes late is older");
        store.refresh(&shop(), object("v", "9"), Instant::now());
        assert_eq!(version(&store), Some("7"), "the answer is about another object of this name");
        store.observe(Observation::Deleted(shop()));
        store.refresh(&shop(), object("u", "8"), Instant::now());
        assert_eq!((version(&store), store.state.count()), (None, 0));
    }

    #[test]
    fn a_list_replaces_what_is_known_when_it_ends() {
        let mut store = Store::default();
        store.observe(Observation::Applied(shop(), object("u", "5")));
        let other = ObjectRef::new(Kind::Gateway, "web", "other");
        store.observe(Observation::ListBegins(Kind::Gateway, Instant::now()));
        store.observe(Observation::Applied(other.clone(), object("w", "2")));
        assert_eq!((version(&store), store.tracked.len()), (Some("5"), 1));
        let gone = store.observe(Observation::ListEnds(Kind::Gateway));
        assert_eq!(gone.into_iter().map(|(object_ref, _)| object_ref).collect::<Vec<_>>(), [shop()]);
        assert!(store.tracked.contains_key(&other));
        let gone = store.observe(Observation::Forgotten(Kind::Gateway));
        assert_eq!((gone.len(), store.tracked.len(), store.state.count()), (1, 0, 0));
    }

    #[test]
    fn an_answer_during_a_list_is_newer_than_the_list() {
        let (began, second) = (Instant::now(), Duration::from_secs(1));
        let listed = |answered: Instant, listed: &str| {
            let mut store = Store::default();
            store.observe(Observation::Applied(shop(), object("u", "5")));
            store.refresh(&shop(), object("u", "7"), answered);
            store.observe(Observation::ListBegins(Kind::Gateway, began));
            store.observe(Observation::Applied(shop(), object("u", listed)));
            store.observe(Observation::ListEnds(Kind::Gateway));
            version(&store).map(str::to_owned).expect("it is listed")
        };
        // The watch delivers the list after the answer, although the API server made the list before.
        assert_eq!(listed(began + second, "5"), "7");
        assert_eq!(listed(began + second, "8"), "8");
        assert_eq!(listed(began - second, "5"), "5", "the cluster was restored");
    }

    #[test]
    fn a_namespace_is_known_as_long_as_it_has_objects() {
        let mut store = Store::default();
        let has_any = |store: &Store| store.has_any(Kind::Gateway, "web");
        let other = ObjectRef::new(Kind::Gateway, "web", "other");
        for (object_ref, number) in [(shop(), "1"), (shop(), "2"), (other.clone(), "3")] {
            store.observe(Observation::Applied(object_ref, object("u", number)));
        }
        store.observe(Observation::Deleted(shop()));
        assert!(has_any(&store) && !store.has_any(Kind::HttpRoute, "web"));
        store.observe(Observation::Deleted(other.clone()));
        store.observe(Observation::Deleted(other));
        assert!(!has_any(&store) && store.counts.is_empty());
    }
}
