//! The worlds of a folder, and the view of each.

use std::collections::BTreeMap;

use super::Folder;
use super::content::Content;
use super::difference::changes;
use crate::files::chart;
use crate::files::contents::FileContents;
use crate::files::knowledge::Known;
use crate::files::manifest::Manifest;
use crate::files::worlds::{DefiningFile, World, Worlds};
use portcullis_core::cluster::{Event, Facts};
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};

impl Folder {
    /// Which files describe one cluster.
    pub fn worlds(&self) -> Worlds {
        let files = self.files.iter().map(|(path, file)| {
            let manifests = &file.contents.manifests;
            let definitions = manifests.iter().map(|manifest| (&manifest.object_ref, &*manifest.json)).collect();
            let lacking = manifests.iter().filter(|manifest| manifest.lacks_namespace);
            let lacking = lacking.map(|manifest| &manifest.object_ref).collect();
            DefiningFile { path, definitions, lacking, bases: &file.contents.bases }
        });
        let files: Vec<DefiningFile<'_>> = files.collect();
        Worlds::of(&files, &self.roots, chart::is_chart)
    }

    /// The events that lead from a view with the objects `held` to that of a world, of which `held` then are the objects. The
    /// IngressClasses of other files count, too: a repository has few, often in one place.
    pub fn enter(&self, world: &World, held: &mut BTreeMap<ObjectRef, Facts>) -> Vec<Event> {
        let files = self.files.iter().filter(|(path, _)| world.files.contains(*path));
        let files: Vec<&FileContents> = files.map(|(_, file)| &file.contents).collect();
        let is_named = |object: &ObjectRef| {
            let name = format!("\"{}\"", object.name);
            files.iter().any(|contents| contents.manifests.iter().any(|manifest| manifest.json.contains(&name)))
        };
        let is_class = |manifest: &&Manifest| manifest.object_ref.kind == Kind::IngressClass;
        let content = Content {
            above: self.manifests_above(world).filter(|manifest| is_named(&manifest.object_ref)).collect(),
            files_above: world.above.files.iter().filter_map(|file| Some(&self.files.get(file)?.contents)).collect(),
            files,
            beside: self.manifests().filter(is_class).collect(),
            classes: &self.classes,
            skipped: Some(&world.unknown),
        };
        let mut known = Known::new(KindSet::EMPTY);
        let unread = content.files.iter().flat_map(|contents| &contents.unread).chain(&self.unread);
        unread.for_each(|unread| known.doubt(unread));
        let (now, _) = content.objects(&mut known, &BTreeMap::new());
        let mut events = changes(held, &now);
        events.extend(content.learned(&mut known));
        *held = now;
        events
    }

    /// The objects of other files that a world sees.
    fn manifests_above(&self, world: &World) -> impl Iterator<Item = &Manifest> {
        world.above.objects.iter().filter_map(|(object, file)| {
            let manifests = &self.files.get(file)?.contents.manifests;
            manifests.iter().find(|manifest| manifest.object_ref == *object)
        })
    }
}
