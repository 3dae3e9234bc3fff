//! Finds the folders that a tool builds into manifests: charts of Helm, and kustomizations.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::chart;
use super::exclusion::Exclusion;
use super::kustomization::{Kustomization, normalized};
use super::walk::is_hidden;

/// A tool that builds manifests from a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BuildTool {
    /// Helm, for folders with a `Chart.yaml`.
    Helm,
    /// Kustomize, for folders with a kustomization.
    Kustomize,
}

impl BuildTool {
    /// The file that makes `folder` one to build.
    pub fn file(self, folder: &Path) -> PathBuf {
        match self {
            Self::Helm => folder.join(chart::FILE),
            Self::Kustomize => Kustomization::file_of(folder).unwrap_or_else(|| folder.join("kustomization.yaml")),
        }
    }
}

/// The folders that tools build, below some roots.
#[derive(Debug, Default)]
pub struct Builds {
    /// The folders to build. A chart in a chart and a kustomization that another one builds upon are not among them.
    pub folders: Vec<(BuildTool, PathBuf)>,
    /// The charts that only other charts use.
    pub libraries: Vec<PathBuf>,
    /// The files and folders that are inputs of a build, not manifests.
    pub inputs: BTreeSet<PathBuf>,
    /// The files from which kustomizations take objects, wherever they are.
    pub resources: BTreeSet<PathBuf>,
}

impl Builds {
    /// Finds what the tools build below `roots`, except for what is excluded. A folder that cannot be listed has nothing
    /// to build; the reader of manifests reports it.
    pub fn find(roots: &[PathBuf], exclusion: &Exclusion, tools: &[BuildTool]) -> Self {
        let (mut builds, mut used) = (Self::default(), BTreeSet::new());
        let mut waiting: Vec<(PathBuf, PathBuf)> = roots.iter().map(|root| (root.clone(), root.clone())).collect();
        while let Some((root, folder)) = waiting.pop() {
            if tools.contains(&BuildTool::Helm) && chart::is_chart(&folder) {
                builds.inputs.extend(chart::inputs(&folder));
                let below = folders(&folder, &root, exclusion).filter(|below| !builds.inputs.contains(below));
                waiting.extend(below.map(|below| (root.clone(), below)));
                builds.add_chart(folder);
                continue;
            }
            if let Some(file) = Kustomization::file_of(&folder).filter(|_| tools.contains(&BuildTool::Kustomize)) {
                let read = Kustomization::read(&file);
                if read.as_ref().is_none_or(|read| !read.is_component) {
                    builds.folders.push((BuildTool::Kustomize, folder.clone()));
                }
                builds.inputs.insert(folder.clone());
                used.extend(read.into_iter().flat_map(|read| read.resources));
            }
            waiting.extend(folders(&folder, &root, exclusion).map(|below| (root.clone(), below)));
        }
        builds.folders.retain(|(tool, folder)| *tool == BuildTool::Helm || !used.contains(&normalized(folder)));
        builds.folders.sort();
        builds.libraries.sort();
        builds.resources = files_of(used);
        builds
    }

    fn add_chart(&mut self, folder: PathBuf) {
        match chart::is_library(&folder) {
            true => self.libraries.push(folder),
            false => self.folders.push((BuildTool::Helm, folder)),
        }
    }
}

/// The files among the `resources` of kustomizations and, for each of them that is a kustomization, those among its own.
fn files_of(resources: BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let mut all = used(resources);
    all.retain(|path, _| path.is_file());
    all.into_keys().collect()
}

/// The kustomizations upon which that of `folder` is built, directly or not. Components are not among them: those add to what others
/// build.
pub(super) fn bases(folder: &Path) -> BTreeSet<PathBuf> {
    let folder = normalized(folder);
    let mut all = used([folder.clone()].into());
    all.retain(|path, kustomization| *path != folder && kustomization.as_ref().is_some_and(|read| !read.is_component));
    all.into_keys().collect()
}

/// These files and folders, what the kustomizations among them build upon, and so on; each with its kustomization, if it has one.
fn used(resources: BTreeSet<PathBuf>) -> BTreeMap<PathBuf, Option<Kustomization>> {
    let (mut all, mut waiting) = (BTreeMap::new(), Vec::from_iter(resources));
    while let Some(path) = waiting.pop() {
        if let Entry::Vacant(new) = all.entry(path) {
            let kustomization = Kustomization::file_of(new.key()).and_then(|file| Kustomization::read(&file));
            waiting.extend(kustomization.iter().flat_map(|kustomization| kustomization.resources.iter().cloned()));
            new.insert(kustomization);
        }
    }
    all
}

/// The folders in `folder` that are neither hidden nor excluded. Links are not followed.
fn folders(folder: &Path, root: &Path, exclusion: &Exclusion) -> impl Iterator<Item = PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_folder = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    let below = entries.filter(is_folder).map(|entry| entry.path());
    below.filter(move |path| !is_hidden(path) && !exclusion.excludes(root, path))
}
