//! The git repositories of the checked files. What is beside the files there may be what they refer to, so it can show that nothing is
//! missing. It adds no finding, and what cannot be read of it is ignored.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::file_worlds::FileWorlds;
use crate::files::{Folder, Manifest};
use portcullis_core::checks::{Outcome, Plan, registry};
use portcullis_core::config::Theme;
use portcullis_core::finding::{Cause, Finding};
use portcullis_core::kinds::ObjectRef;
use portcullis_core::review::stored::{self, AppliedManifest};

/// The repositories of the checked files, each of which is read when a finding needs it.
pub(super) struct Repositories<'f> {
    /// The canonical paths that are checked.
    given: Vec<PathBuf>,
    folder: &'f Folder,
    /// The objects that the checked files define.
    defined: BTreeSet<ObjectRef>,
    /// By root; `None` if a repository is checked as a whole, or cannot be read.
    read: BTreeMap<PathBuf, Option<Repository>>,
}

/// The files of a repository.
struct Repository {
    folder: Folder,
    worlds: FileWorlds,
}

impl<'f> Repositories<'f> {
    /// Those of the files below the paths `given`, from which `folder` is read.
    pub(super) fn around(given: &[PathBuf], folder: &'f Folder) -> Self {
        let given = given.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let defined = folder.manifests().map(|manifest| manifest.object_ref.clone()).collect();
        Self { given, folder, defined, read: BTreeMap::new() }
    }

    /// Removes the findings about something missing that the repository of the manifest contains.
    pub(super) fn remove_found(
        &mut self,
        plan: &Plan,
        manifest: &Manifest,
        write: AppliedManifest<'_>,
        outcome: &mut Outcome,
    ) {
        let is_about_absence = |finding: &Finding, defined: &BTreeSet<ObjectRef>| {
            registry::find(finding.check).is_some_and(|check| check.theme == Theme::Reference)
                // What an object of the checked files lacks, such as a port, is in no other file.
                && !(finding.cause == Cause::NotFound
                    && finding.other.as_ref().is_some_and(|other| defined.contains(other)))
        };
        if !outcome.findings.iter().any(|evaluated| is_about_absence(&evaluated.finding, &self.defined)) {
            return;
        }
        let Ok(file) = manifest.file.canonicalize() else { return };
        let Some(Repository { folder, worlds }) = self.of_file(&file) else { return };
        let Some(cluster) = worlds.around(&file, folder) else { return };
        let beside = stored::check_manifest(plan, cluster, write);
        let missing: BTreeSet<u64> = beside.findings.iter().map(|evaluated| evaluated.finding.identity()).collect();
        outcome.findings.retain(|evaluated| {
            missing.contains(&evaluated.finding.identity()) || !is_about_absence(&evaluated.finding, &self.defined)
        });
    }

    /// The repository of a file, unless all of it is checked.
    fn of_file(&mut self, file: &Path) -> Option<&mut Repository> {
        let root = file.ancestors().skip(1).find(|folder| folder.join(".git").exists())?;
        match self.read.entry(root.to_owned()) {
            Entry::Occupied(read) => read.into_mut().as_mut(),
            Entry::Vacant(new) => {
                let is_whole = self.given.iter().any(|given| root.starts_with(given));
                let read = || Repository::read(root, &self.given, self.folder).ok();
                new.insert(if is_whole { None } else { read() }).as_mut()
            }
        }
    }
}

impl Repository {
    /// Reads the repository at `root`, with the paths in it that are checked, of which some may be hidden.
    fn read(root: &Path, given: &[PathBuf], checked: &Folder) -> std::io::Result<Self> {
        let given = given.iter().filter(|path| path.starts_with(root)).cloned();
        let roots: Vec<PathBuf> = [root.to_owned()].into_iter().chain(given).collect();
        let folder = checked.beside(&roots)?;
        let worlds = FileWorlds::new(folder.worlds(), &folder);
        Ok(Self { folder, worlds })
    }
}
