//! The objects of some files as a view shows them.

use std::collections::{BTreeMap, BTreeSet};

use crate::files::contents::FileContents;
use crate::files::created_classes::created_class;
use crate::files::knowledge::{Held, Known};
use crate::files::manifest::Manifest;
use crate::files::referenced::ReferencedServices;
use crate::files::unread::Unread;
use portcullis_core::cluster::gateway_facts::GatewayClassFacts;
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
use portcullis_core::kinds::{Kind, Object, ObjectRef};
use portcullis_core::routing::default_class;

/// Files that describe one cluster.
pub(super) struct Content<'f> {
    pub files: Vec<&'f FileContents>,
    /// Objects of other files, which count unless these files define them.
    pub beside: Vec<&'f Manifest>,
    /// Objects of other files, which count unless these files define them. They say nothing about which objects are absent.
    pub above: Vec<&'f Manifest>,
    /// Other files whose Secrets and ConfigMaps count in the same way, the nearest first.
    pub files_above: Vec<&'f FileContents>,
    /// GatewayClasses beside the files, for the features that they list.
    pub classes: &'f BTreeMap<ObjectRef, GatewayClassFacts>,
    /// Objects of which nothing is known, since the files define them differently.
    pub skipped: Option<&'f BTreeSet<ObjectRef>>,
}

impl Content<'_> {
    /// The facts of all objects, of which the first definition counts, and those that cannot be decoded. An object that was decoded
    /// `before` keeps its last facts.
    pub fn objects(
        &self,
        known: &mut Known,
        before: &BTreeMap<ObjectRef, Facts>,
    ) -> (BTreeMap<ObjectRef, Facts>, Vec<Unread>) {
        self.files.iter().flat_map(|contents| &contents.created).for_each(|created| known.note_created(created));
        known.note_lacking(
            self.files.iter().flat_map(|contents| &contents.manifests).any(|manifest| manifest.lacks_namespace),
        );
        let classes = self.classes(known);
        let object_ref = ObjectRef::new(Kind::IngressClass, "", "");
        let classes = Overlay::new(&classes, &object_ref);
        let mut now: BTreeMap<ObjectRef, Facts> = BTreeMap::new();
        let mut unread = Vec::new();
        let mut referenced = ReferencedServices::default();
        for manifest in self.manifests() {
            let object_ref = &manifest.object_ref;
            known.note(object_ref);
            let facts = match manifest.object() {
                Ok(mut object) => {
                    if let Object::Ingress(ingress) = &mut object {
                        default_class::assume(ingress, &classes);
                    }
                    referenced.note(&object);
                    Some(Facts::of(&object).named(&object_ref.name))
                }
                Err(_) => {
                    unread.push(Unread::of_manifest(manifest));
                    let instead = before.get(object_ref).filter(|facts| !facts.is_unreadable()).cloned();
                    instead.or_else(|| Facts::of_unreadable(object_ref, &manifest.json))
                }
            };
            match facts {
                Some(facts) => {
                    now.entry(object_ref.clone()).or_insert(facts);
                }
                None => known.doubt_kind(object_ref.kind),
            }
        }
        for manifest in &self.above {
            if let Ok(object) = manifest.object() {
                let facts = || Facts::of(&object).named(&manifest.object_ref.name);
                now.entry(manifest.object_ref.clone()).or_insert_with(facts);
            }
        }
        for (object_ref, class) in self.classes {
            let known = now.entry(object_ref.clone()).or_insert_with(|| Facts::GatewayClass(class.clone()));
            if let Facts::GatewayClass(known) = known {
                known.supported_features = class.supported_features;
            }
        }
        if !known.is_complete() {
            let classes = now.values().filter_map(|facts| match facts {
                Facts::Listeners(facts) => created_class(&facts.class),
                _ => None,
            });
            for class in classes.collect::<Vec<_>>() {
                now.entry(class.object_ref()).or_insert(class);
            }
        }
        for object_ref in self.skipped.into_iter().flatten() {
            now.remove(object_ref);
            known.doubt_object(object_ref);
        }
        referenced.mostly_missing(now.keys()).into_iter().for_each(|namespace| known.doubt_services(namespace));
        (now, unread)
    }

    /// The events about what is known besides these objects.
    pub fn learned(&self, known: &mut Known) -> Vec<Event> {
        known.learned(
            Held { own: all(&self.files, |file| &file.secrets), above: all(&self.files_above, |file| &file.secrets) },
            Held {
                own: all(&self.files, |file| &file.config_maps),
                above: all(&self.files_above, |file| &file.config_maps),
            },
        )
    }

    fn manifests(&self) -> impl Iterator<Item = &Manifest> {
        self.files.iter().flat_map(|contents| &contents.manifests).chain(self.beside.iter().copied())
    }

    /// A view of the IngressClasses only. It decides which default class an Ingress without a class gets.
    fn classes(&self, known: &Known) -> Cluster {
        let (mut classes, mut knowledge) = (BTreeMap::new(), SyncState::Complete);
        for manifest in self.manifests().filter(|manifest| manifest.object_ref.kind == Kind::IngressClass) {
            match manifest.object() {
                Ok(object) => {
                    classes
                        .entry(&manifest.object_ref)
                        .or_insert_with(|| Facts::of(&object).named(&manifest.object_ref.name));
                }
                Err(_) => knowledge = SyncState::Partial,
            }
        }
        if known.doubts(Kind::IngressClass) {
            knowledge = SyncState::Partial;
        }
        let mut cluster = Cluster::default();
        classes.into_values().for_each(|facts| cluster.apply(Event::Apply(facts)));
        cluster.apply(Event::SyncState(Kind::IngressClass, knowledge));
        cluster
    }
}

/// What `of` finds in the files.
fn all<T: Clone>(files: &[&FileContents], of: impl Fn(&FileContents) -> &Vec<T>) -> Vec<T> {
    files.iter().flat_map(|file| of(file).iter().cloned()).collect()
}
