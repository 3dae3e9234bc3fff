//! The cluster in which manifests are checked: that of the files alone, or a real one to which they are applied.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::file_worlds::{self, FileWorlds};
use crate::cli::listing::Listing;
use crate::files::{Folder, Manifest, Unread};
use crate::watch::{KindList, Lists};
use portcullis_core::bundle::InstalledSchema;
use portcullis_core::checks::{Outcome, Plan, registry};
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState, User};
use portcullis_core::config::Theme;
use portcullis_core::finding::Finding;
use portcullis_core::kinds::{Kind, KindSet, Object, ObjectRef, decode};
use portcullis_core::report::RequestedKinds;
use portcullis_core::review::stored::{self, AppliedManifest};
use portcullis_core::routing::default_class;

/// What a manifest is checked against.
pub(super) struct Surroundings {
    /// The cluster with all manifests applied.
    cluster: Cluster,
    /// The objects of a real cluster; `None` if there are only files.
    live: Option<Live>,
    /// The manifests that are applied to a real cluster.
    applied: BTreeMap<ObjectRef, Applied>,
    /// The worlds of the files; `None` if they describe one cluster.
    worlds: Option<FileWorlds>,
}

/// The objects of a real cluster, before the manifests are applied.
struct Live {
    objects: BTreeMap<ObjectRef, Arc<str>>,
    kinds: RequestedKinds,
}

/// A manifest that is applied to a real cluster.
struct Applied {
    /// The manifest as written.
    written: Arc<str>,
    /// The object as it is stored then.
    json: Arc<str>,
    /// Its facts; `None` if they are not known.
    facts: Option<Facts>,
}

impl Surroundings {
    /// The cluster of the files alone, which `events` fill. Unless they are the `complete` cluster, some of them may describe
    /// another one.
    pub(super) fn of_files(folder: &Folder, events: Vec<Event>, complete: bool) -> Self {
        let mut cluster = Cluster::default();
        events.into_iter().chain(file_worlds::schemas(folder)).for_each(|event| cluster.apply(event));
        let worlds = (!complete).then(|| folder.worlds()).filter(|worlds| !worlds.is_one());
        let worlds = worlds.map(|worlds| FileWorlds::new(worlds, folder));
        Self { cluster, live: None, applied: BTreeMap::new(), worlds }
    }

    /// A real cluster with the manifests of `folder` applied to it, of which the kinds in `needed` are looked up.
    pub(super) fn of_cluster(lists: Lists, needed: KindSet, folder: &Folder, events: Vec<Event>) -> Self {
        // No API server has applied its schemas to the manifests yet.
        let unapplied = |(kind, schema): (Kind, InstalledSchema)| Some((kind, schema.unapplied()?));
        let schemas = lists.schemas.into_iter().filter_map(unapplied).collect();
        let doubted = doubted(lists.unread.iter());
        let partial = lists.kinds.iter().filter_map(covered).filter(|(kind, _)| !doubted.contains(*kind)).collect();
        let all = KindSet::EVERY;
        let listing = Listing::of(Lists { schemas, ..lists }, all, "checks that need them report nothing");
        let kinds = listing.requested(needed);
        let Listing { mut cluster, objects, .. } = listing;
        let objects = objects.into_iter().map(|object| (object.object_ref, object.json)).collect();
        let live = Live { objects, kinds };
        add_knowledge(events, partial, &mut cluster);
        file_worlds::schemas(folder).for_each(|event| cluster.apply(event));
        let applied = live.apply(folder, &mut cluster);
        for kind in self::doubted(folder.unread()).iter() {
            cluster.apply(Event::SyncState(kind, SyncState::Partial));
            cluster.apply(Event::Covered(kind, BTreeSet::new()));
        }
        Self { cluster, live: Some(live), applied, worlds: None }
    }

    /// The cluster with all manifests applied.
    pub(super) const fn cluster(&self) -> &Cluster {
        &self.cluster
    }

    /// The kinds that were requested from a cluster.
    pub(super) fn kinds(&self) -> Option<RequestedKinds> {
        self.live.as_ref().map(|live| live.kinds)
    }

    /// The namespaces of the cluster.
    pub(super) fn namespaces(&self) -> impl Iterator<Item = String> {
        let objects = self.live.iter().flat_map(|live| live.objects.keys());
        objects.map(|object| object.of_namespace().to_owned())
    }

    /// The number of the world of a manifest, if the files describe several clusters. The same object may be in several of them.
    pub(super) fn world_of(&self, manifest: &Manifest) -> Option<usize> {
        self.worlds.as_ref()?.number(&manifest.file)
    }

    /// Checks a manifest of `folder` that `user` applies. Meanwhile the view shows its object as it is before the write, as it does in a
    /// review.
    pub(super) fn check(
        &mut self,
        plan: &Plan,
        folder: &Folder,
        manifest: &Manifest,
        user: Option<User<'_>>,
        now: Timestamp,
    ) -> Outcome {
        let Self { cluster, live, applied, worlds } = self;
        let this = &manifest.object_ref;
        let write = |json| AppliedManifest { this, json, user, now };
        let Some(live) = live else {
            let is_example = worlds.as_ref().is_some_and(|worlds| worlds.is_example(&manifest.file));
            let world = worlds.as_mut().and_then(|worlds| worlds.around(&manifest.file, folder));
            let mut outcome = stored::check_manifest(plan, world.unwrap_or(cluster), write(&manifest.json));
            if is_example {
                outcome.findings.retain(|evaluated| !is_conflict_with_another(&evaluated.finding, manifest, folder));
            }
            return outcome;
        };
        let applied = applied.get(this);
        // Of an object that is defined more than once, only the first definition is in the view.
        let merged = match applied.filter(|applied| applied.written == manifest.json) {
            Some(applied) => Arc::clone(&applied.json),
            None => live.merged(manifest),
        };
        cluster.apply(live.before(this));
        let outcome = stored::check_applied(plan, cluster, write(&merged), live.json(this));
        cluster.apply(Event::Delete(this.clone()));
        applied
            .and_then(|applied| applied.facts.clone())
            .into_iter()
            .for_each(|facts| cluster.apply(Event::Apply(facts)));
        outcome
    }
}

/// Whether a finding is about a conflict with an object of another file.
fn is_conflict_with_another(finding: &Finding, manifest: &Manifest, folder: &Folder) -> bool {
    let is_conflict = || registry::find(finding.check).is_some_and(|check| check.theme == Theme::Conflict);
    let is_here = |other: &ObjectRef| {
        folder.manifests().any(|manifest_of| manifest_of.object_ref == *other && manifest_of.file == manifest.file)
    };
    finding.other.as_ref().is_some_and(|other| is_conflict() && !is_here(other))
}

/// The kinds of which documents that are not read may contain objects.
fn doubted<'u>(unread: impl Iterator<Item = &'u Unread>) -> KindSet {
    unread.fold(KindSet::EMPTY, |all, unread| all.union(unread.kinds))
}

/// The namespaces of which all objects are known, of a kind of which some objects are.
fn covered((kind, list): &(Kind, KindList)) -> Option<(Kind, BTreeSet<Box<str>>)> {
    match list {
        KindList::Partial { namespaces, .. } => Some((*kind, namespaces.clone())),
        KindList::NotServed | KindList::Forbidden | KindList::Objects(_) => None,
    }
}

/// Adds what files know besides their objects, which `events` describe. Of the kinds in `partial`, only some objects of the cluster are
/// known: all those in some namespaces.
fn add_knowledge(events: Vec<Event>, mut partial: BTreeMap<Kind, BTreeSet<Box<str>>>, cluster: &mut Cluster) {
    for event in events {
        // What the files do not contain may be in the cluster.
        match event {
            Event::Secrets(secrets) => cluster.apply(Event::Secrets(secrets.among_others())),
            Event::ConfigMaps(config_maps) => cluster.apply(Event::ConfigMaps(config_maps.among_others())),
            // Where only some objects of the cluster are known, the files may contain all objects of a namespace, or all of them.
            Event::Covered(kind, more) if partial.contains_key(&kind) => {
                let covered = partial.entry(kind).or_default();
                covered.extend(more);
                cluster.apply(Event::Covered(kind, covered.clone()));
            }
            Event::SyncState(kind, SyncState::Complete) if partial.contains_key(&kind) => {
                cluster.apply(Event::SyncState(kind, SyncState::Complete));
            }
            _ => {}
        }
    }
}

impl Live {
    /// The object that a manifest replaces.
    fn json(&self, object_ref: &ObjectRef) -> Option<&str> {
        self.objects.get(object_ref).map(|json| &**json)
    }

    /// The event that shows an object as it is in the cluster.
    fn before(&self, object_ref: &ObjectRef) -> Event {
        let facts = self.json(object_ref).and_then(|json| match decode(object_ref.kind, json) {
            Ok(object) => Some(Facts::of(&object)),
            Err(_) => Facts::of_unreadable(object_ref, json),
        });
        facts.map_or_else(|| Event::Delete(object_ref.clone()), Event::Apply)
    }

    /// The manifest as it is stored once it is applied: with the creation time of the object that it replaces, and, as
    /// others label Namespaces, with the labels of a Namespace that it does not mention.
    fn merged(&self, manifest: &Manifest) -> Arc<str> {
        let live = self.json(&manifest.object_ref).and_then(|json| serde_json::from_str::<Value>(json).ok());
        let (Some(live), Ok(mut own)) = (live, serde_json::from_str::<Value>(&manifest.json)) else {
            return Arc::clone(&manifest.json);
        };
        let Some(metadata) = own["metadata"].as_object_mut() else { return Arc::clone(&manifest.json) };
        let live = &live["metadata"];
        if metadata.get("creationTimestamp").is_none_or(Value::is_null) {
            metadata.insert("creationTimestamp".to_owned(), live["creationTimestamp"].clone());
        }
        if let (Kind::Namespace, Some(labels)) = (manifest.object_ref.kind, live["labels"].as_object()) {
            let own = metadata.entry("labels").or_insert_with(|| json!({}));
            for (key, value) in labels {
                own.as_object_mut().into_iter().for_each(|own| {
                    own.entry(key).or_insert_with(|| value.clone());
                });
            }
        }
        own.to_string().into()
    }

    /// Applies the manifests to the view. If an object is defined more than once, the first definition counts. Classes
    /// come before Ingresses, since they decide the class of an Ingress that names none.
    fn apply(&self, folder: &Folder, cluster: &mut Cluster) -> BTreeMap<ObjectRef, Applied> {
        let mut applied = BTreeMap::new();
        let (ingresses, others): (Vec<&Manifest>, Vec<&Manifest>) =
            folder.manifests().partition(|manifest| manifest.object_ref.kind == Kind::Ingress);
        for manifest in others.into_iter().chain(ingresses) {
            if let Entry::Vacant(first) = applied.entry(manifest.object_ref.clone()) {
                first.insert(self.apply_one(manifest, cluster));
            }
        }
        applied
    }

    /// Applies a manifest.
    fn apply_one(&self, manifest: &Manifest, cluster: &mut Cluster) -> Applied {
        let object_ref = &manifest.object_ref;
        let live = self.json(object_ref).and_then(|json| decode(object_ref.kind, json).ok());
        let settled = |mut object: Object<'_>, cluster: &Cluster| {
            default_class::settle(&mut object, live.as_ref(), &Overlay::new(cluster, object_ref));
            Facts::of(&object).named(&object_ref.name)
        };
        let json = self.merged(manifest);
        let read = decode(object_ref.kind, &json).ok().map(|object| settled(object, cluster));
        let facts = read.or_else(|| Facts::of_unreadable(object_ref, &json));
        cluster.apply(match &facts {
            Some(facts) => Event::Apply(facts.clone()),
            None => Event::SyncState(object_ref.kind, SyncState::Partial),
        });
        Applied { written: Arc::clone(&manifest.json), json, facts }
    }
}
