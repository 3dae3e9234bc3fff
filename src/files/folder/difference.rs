//! The events that bring a view up to date after files have changed.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::Folder;
use crate::files::cause::UnreadCause;
use crate::files::unread::Unread;
use portcullis_core::cluster::{Cluster, Event, Facts, Overlay, SyncState};
use portcullis_core::kinds::{Kind, Object, ObjectRef};
use portcullis_core::routing::default_class;

impl Folder {
    /// The events that lead from the previous state to the current one. Like the content of a broken file, an object
    /// that can no longer be decoded keeps its last decoded facts. Without such facts it is marked as unreadable, or,
    /// if its kind has no such mark, the objects of the kind are not completely known.
    pub(super) fn difference(&mut self) -> Vec<Event> {
        self.known.begin();
        let closed = self.walk.closed.iter().map(|(folder, error)| closed(folder, error));
        let outside = self.walk.outside.iter().map(|(link, target)| outside(link, target));
        self.unread = closed.chain(self.walk.dangling.iter().map(|link| dangling(link))).chain(outside).collect();
        for unread in self.files.values().flat_map(|file| &file.contents.unread).chain(&self.unread) {
            self.known.doubt(unread);
        }
        let classes = self.classes();
        let object_ref = ObjectRef::new(Kind::IngressClass, "", "");
        let classes = Overlay::new(&classes, &object_ref);
        let mut now: BTreeMap<ObjectRef, Facts> = BTreeMap::new();
        for manifest in self.files.values().flat_map(|file| &file.contents.manifests) {
            let object_ref = &manifest.object_ref;
            self.known.note(object_ref);
            let facts = match manifest.object() {
                Ok(mut object) => {
                    if let Object::Ingress(ingress) = &mut object {
                        default_class::assume(ingress, &classes);
                    }
                    Some(Facts::of(&object).named(&object_ref.name))
                }
                Err(_) => {
                    self.unread.push(Unread::of_manifest(manifest));
                    let instead = self.objects.get(object_ref).filter(|facts| !facts.is_unreadable()).cloned();
                    instead.or_else(|| Facts::of_unreadable(object_ref, &manifest.json))
                }
            };
            match facts {
                Some(facts) => {
                    now.entry(object_ref.clone()).or_insert(facts);
                }
                None => self.known.doubt_kind(object_ref.kind),
            }
        }
        let mut events = changes(&self.objects, &now);
        self.objects = now;
        let secrets = self.files.values().flat_map(|file| file.contents.secrets.iter().cloned());
        let config_maps = self.files.values().flat_map(|file| file.contents.config_maps.iter().cloned());
        events.extend(self.known.learned(secrets.collect(), config_maps.collect()));
        events
    }

    /// A view of the IngressClasses only. It decides which default class an Ingress without a class gets.
    fn classes(&self) -> Cluster {
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
        if self.known.doubts(Kind::IngressClass) {
            knowledge = SyncState::Partial;
        }
        let mut cluster = Cluster::default();
        classes.into_values().for_each(|facts| cluster.apply(Event::Apply(facts)));
        cluster.apply(Event::SyncState(Kind::IngressClass, knowledge));
        cluster
    }
}

/// The events that turn the objects `before` into those of `now`, deletions first.
fn changes(before: &BTreeMap<ObjectRef, Facts>, now: &BTreeMap<ObjectRef, Facts>) -> Vec<Event> {
    let gone = before.keys().filter(|object_ref| !now.contains_key(*object_ref)).cloned().map(Event::Delete);
    let new = now.iter().filter(|(object_ref, facts)| before.get(*object_ref) != Some(*facts));
    gone.chain(new.map(|(_, facts)| Event::Apply(facts.clone()))).collect()
}

/// The entry for a folder that cannot be listed.
fn closed(folder: &Path, error: &std::io::Error) -> Unread {
    Unread::of_file(&Arc::from(folder), UnreadCause::NotOpened, format!("cannot be listed: {error}"))
}

/// The entry for a link whose target does not exist.
fn dangling(link: &Path) -> Unread {
    let message = "is a link to a file that does not exist: restore the file or remove the link";
    Unread::of_file(&Arc::from(link), UnreadCause::NotOpened, message.to_owned())
}

/// The entry for a link that is not followed, because its target is not in a given folder.
fn outside(link: &Path, target: &Path) -> Unread {
    let message = format!(
        "is a link to {} outside the given folders, which is not followed: pass the target, too, or exclude the link",
        target.display()
    );
    Unread::of_file(&Arc::from(link), UnreadCause::LinkOutside, message)
}
