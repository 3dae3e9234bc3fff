//! The objects that have a status: what the watches and the own writes say of them.

use std::collections::HashMap;

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
    /// The objects of lists that have not ended.
    listing: HashMap<Kind, HashMap<ObjectRef, ReducedObject>>,
}

/// An object that has a status.
#[derive(Debug, Default)]
pub struct Tracked {
    /// The newest known version.
    pub version: Version,
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
                Some(listed) => drop(listed.insert(object_ref, object)),
                None => self.put(object_ref, object),
            },
            Observation::Deleted(object_ref) => return self.remove([object_ref]),
            Observation::ListBegins(kind) => drop(self.listing.insert(kind, HashMap::new())),
            Observation::ListEnds(kind) => {
                let listed = self.listing.remove(&kind).unwrap_or_default();
                return self.replace(kind, listed);
            }
            Observation::Forgotten(kind) => {
                self.listing.remove(&kind);
                return self.replace(kind, HashMap::new());
            }
        }
        Vec::new()
    }

    /// Takes in the answer to a read or a write of an object, unless it is older than what is known, or the object is deleted.
    pub fn refresh(&mut self, object_ref: &ObjectRef, object: ReducedObject) {
        if self.tracked.get(object_ref).is_some_and(|tracked| tracked.version.uid == object.version.uid) {
            self.put(object_ref.clone(), object);
        }
    }

    /// Adds an object or a newer version of it.
    fn put(&mut self, object_ref: ObjectRef, object: ReducedObject) {
        let known = self.tracked.get(&object_ref);
        if !known.is_some_and(|tracked| object.version.is_known(&tracked.version)) {
            self.set(object_ref, object);
        }
    }

    fn set(&mut self, object_ref: ObjectRef, ReducedObject { json, version }: ReducedObject) {
        let tracked = self.tracked.entry(object_ref.clone()).or_default();
        if tracked.version.uid != version.uid {
            tracked.progress.renew();
            (tracked.is_reported, tracked.is_full) = (false, false);
        }
        tracked.version = version;
        self.state.put(object_ref, json);
    }

    /// Replaces all objects of a kind by those of a list, which may be older than what is known if the cluster was restored.
    fn replace(&mut self, kind: Kind, listed: HashMap<ObjectRef, ReducedObject>) -> Vec<(ObjectRef, Tracked)> {
        let is_gone = |object_ref: &&ObjectRef| object_ref.kind == kind && !listed.contains_key(*object_ref);
        let gone: Vec<ObjectRef> = self.tracked.keys().filter(is_gone).cloned().collect();
        for (object_ref, object) in listed {
            let known = self.tracked.get(&object_ref).map(|tracked| &tracked.version);
            if known != Some(&object.version) {
                self.set(object_ref, object);
            }
        }
        self.remove(gone)
    }

    fn remove(&mut self, gone: impl IntoIterator<Item = ObjectRef>) -> Vec<(ObjectRef, Tracked)> {
        let remove = |object_ref: ObjectRef| {
            self.state.remove(&object_ref);
            self.tracked.remove_entry(&object_ref)
        };
        gone.into_iter().filter_map(remove).collect()
    }
}

#[cfg(test)]
mod tests {
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
        store.refresh(&shop(), object("u", "7"));
        store.observe(Observation::Applied(shop(), object("u", "6")));
        assert_eq!(version(&store), Some("7"), "an event that comes late is older");
        store.refresh(&shop(), object("v", "9"));
        assert_eq!(version(&store), Some("7"), "the answer is about another object of this name");
        store.observe(Observation::Deleted(shop()));
        store.refresh(&shop(), object("u", "8"));
        assert_eq!((version(&store), store.state.count()), (None, 0));
    }

    #[test]
    fn a_list_replaces_what_is_known_when_it_ends() {
        let mut store = Store::default();
        store.observe(Observation::Applied(shop(), object("u", "5")));
        let other = ObjectRef::new(Kind::Gateway, "web", "other");
        store.observe(Observation::ListBegins(Kind::Gateway));
        store.observe(Observation::Applied(other.clone(), object("w", "2")));
        assert_eq!((version(&store), store.tracked.len()), (Some("5"), 1));
        let gone = store.observe(Observation::ListEnds(Kind::Gateway));
        assert_eq!(gone.into_iter().map(|(object_ref, _)| object_ref).collect::<Vec<_>>(), [shop()]);
        assert!(store.tracked.contains_key(&other));
        let gone = store.observe(Observation::Forgotten(Kind::Gateway));
        assert_eq!((gone.len(), store.tracked.len(), store.state.count()), (1, 0, 0));
    }
}
