//! The clusters that the files of one folder describe, of which a view shows one at a time.

use std::collections::BTreeMap;
use std::path::Path;

use crate::files::{Folder, Worlds};
use portcullis_core::cluster::{Cluster, Event, Facts};
use portcullis_core::kinds::ObjectRef;

/// The worlds of the files of a folder.
pub(super) struct FileWorlds {
    worlds: Worlds,
    cluster: Cluster,
    /// The objects that the view shows.
    objects: BTreeMap<ObjectRef, Facts>,
    /// The world that it shows.
    entered: Option<usize>,
}

impl FileWorlds {
    /// The worlds of `folder`, of which none is shown yet.
    pub(super) fn new(worlds: Worlds, folder: &Folder) -> Self {
        let mut cluster = Cluster::default();
        schemas(folder).for_each(|event| cluster.apply(event));
        Self { worlds, cluster, objects: BTreeMap::new(), entered: None }
    }

    /// The number of the world of a file.
    pub(super) fn number(&self, file: &Path) -> Option<usize> {
        self.worlds.of_file(file).map(|(number, _)| number)
    }

    /// Whether a file is an example, which does not stand beside others in a cluster.
    pub(super) fn is_example(&self, file: &Path) -> bool {
        self.worlds.of_file(file).is_some_and(|(_, world)| world.is_example)
    }

    /// The world of a file of `folder`; `None` if the folder does not contain the file.
    pub(super) fn around(&mut self, file: &Path, folder: &Folder) -> Option<&Cluster> {
        let (number, world) = self.worlds.of_file(file)?;
        if self.entered != Some(number) {
            folder.enter(world, &mut self.objects).into_iter().for_each(|event| self.cluster.apply(event));
            self.entered = Some(number);
        }
        Some(&self.cluster)
    }
}

/// The events about the CRDs in files, which are applied with the manifests.
pub(super) fn schemas(folder: &Folder) -> impl Iterator<Item = Event> {
    folder.unapplied_schemas().map(|(kind, schema)| Event::Schema(kind, Some(schema)))
}
