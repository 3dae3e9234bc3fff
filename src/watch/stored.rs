//! The objects in files as the lists of a cluster that stores them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::lists::{KindList, Lists};
use crate::files::{Folder, Locator, Manifest};
use portcullis_core::cluster::{Cluster, Event, Overlay, SyncState};
use portcullis_core::kinds::{Kind, KindSet, Object};
use portcullis_core::routing::default_class;

impl Lists {
    /// The lists of a cluster that stores the objects of `folder`, which `events` describe. If an object is defined more than once, the
    /// first definition counts. What else the cluster contains is known as far as the folder knows it.
    pub fn of_folder(folder: &Folder, events: Vec<Event>) -> Self {
        let (mut cluster, mut complete, mut covered) = (Cluster::default(), KindSet::EMPTY, BTreeMap::new());
        for event in events {
            match &event {
                Event::SyncState(kind, SyncState::Complete) => complete = complete.union(KindSet::of(&[*kind])),
                Event::Covered(kind, namespaces) => {
                    covered.insert(*kind, namespaces.clone());
                }
                _ => {}
            }
            cluster.apply(event);
        }
        let mut objects: BTreeMap<Kind, Vec<Manifest>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for manifest in folder.manifests().filter(|manifest| seen.insert(&manifest.object_ref)) {
            objects.entry(manifest.object_ref.kind).or_default().push(stored(manifest, &cluster));
        }
        let kinds = Kind::ALL.into_iter().map(|kind| {
            let objects = objects.remove(&kind).unwrap_or_default();
            let namespaces = covered.remove(&kind).unwrap_or_default();
            let is_complete = complete.contains(kind);
            (kind, if is_complete { KindList::Objects(objects) } else { KindList::Partial { objects, namespaces } })
        });
        let mut locator = Locator::new(folder);
        let unread = folder.unread().map(|unread| locator.located(unread)).collect();
        Self { kinds: kinds.collect(), schemas: folder.unapplied_schemas().collect(), unread, ..Self::default() }
    }
}

/// The object of a manifest as an API server with the objects of `cluster` stores it: an Ingress without a class has the default class.
pub fn stored(manifest: &Manifest, cluster: &Cluster) -> Manifest {
    let with_class = || {
        let Ok(Object::Ingress(ingress)) = manifest.object() else { return None };
        let class = default_class::on_creation(&ingress, &Overlay::new(cluster, &manifest.object_ref))?;
        let mut stored: Value = serde_json::from_str(&manifest.json).ok()?;
        stored.get_mut("spec")?.as_object_mut()?.insert("ingressClassName".to_owned(), json!(class.name));
        Some(stored.to_string().into())
    };
    match with_class() {
        Some(json) => Manifest { json, ..manifest.clone() },
        None => manifest.clone(),
    }
}
