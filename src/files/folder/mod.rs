//! A folder of manifests as a view of the cluster. Changed files are read again, and the last good state is kept of a
//! file that becomes unreadable.

mod built;
mod content;
mod difference;
mod worlds;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::chart;
use super::contents::FileContents;
use super::copies::{DuplicateObject, copies};
use super::envsubst::{Filled, Variables};
use super::exclusion::Exclusion;
use super::knowledge::Known;
use super::kustomization::{Kustomization, normalized};
use super::manifest::Manifest;
use super::read::{DEFAULT_NAMESPACE, Reading, read, read_beside, read_text};
use super::unread::Unread;
use super::walk::{Walk, count};
use super::words;
use portcullis_core::bundle::InstalledSchema;
use portcullis_core::cluster::gateway_facts::GatewayClassFacts;
use portcullis_core::cluster::{Event, Facts, Name};
use portcullis_core::compare::UnevaluatedObject;
use portcullis_core::kinds::{Kind, KindSet, ObjectRef};

/// The content of some folders and files when they were last read.
#[derive(Debug)]
pub struct Folder {
    roots: Vec<PathBuf>,
    walk: Walk,
    /// The files that kustomizations use as patches.
    patches: Vec<PathBuf>,
    files: BTreeMap<PathBuf, File>,
    objects: BTreeMap<ObjectRef, Facts>,
    known: Known,
    /// What is not read apart from documents: folders, links that lead nowhere or outside, and objects that cannot be
    /// decoded as their kind.
    unread: Vec<Unread>,
    /// What was wrong at the last change.
    problems: Vec<Problem>,
    /// Whether the folder has been read at least once.
    is_read: bool,
    /// Files and folders that are not read.
    exclusion: Exclusion,
    /// The namespace of objects that name none.
    namespace: String,
    /// Texts that are not files, by name. If the text is what someone wrote, positions in it can be found.
    texts: BTreeMap<PathBuf, Option<String>>,
    /// GatewayClasses beside the files, for the features that they list.
    classes: BTreeMap<ObjectRef, GatewayClassFacts>,
    /// Whether the files are only beside others, so that what cannot be read is ignored.
    is_beside: bool,
    /// The variables to fill in; `None` to leave all as they are.
    variables: Option<Variables>,
}

#[derive(Debug)]
struct File {
    stamp: Stamp,
    contents: FileContents,
}

/// The modification time and the size of a file. If either differs, the file is read again. Both are those of a link's
/// target, so they also differ after a mounted volume has swapped the target.
type Stamp = (Option<SystemTime>, u64);

/// A current problem of a folder. Everything else in the folder is in use.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem(pub String);

impl Folder {
    /// Treats `roots`, which are folders and files, as one folder and reads nothing yet. They contain all objects of
    /// the kinds `complete`, and of Secrets and ConfigMaps if these are all kinds.
    pub fn new(roots: &[PathBuf], complete: KindSet) -> Self {
        let (walk, files, objects, unread, problems) = Default::default();
        let (exclusion, texts, patches, classes, variables) = Default::default();
        let (roots, known, is_read, is_beside) = (roots.to_vec(), Known::new(complete), false, false);
        let namespace = DEFAULT_NAMESPACE.to_owned();
        Self {
            roots,
            walk,
            patches,
            files,
            objects,
            known,
            unread,
            problems,
            is_read,
            exclusion,
            namespace,
            texts,
            classes,
            is_beside,
            variables,
        }
    }

    /// Reads `roots` as the files of this folder are read, but only for them: what cannot be read is ignored. The result has a
    /// view of each of the [`Self::worlds`], and none of all files.
    pub fn beside(&self, roots: &[PathBuf]) -> std::io::Result<Self> {
        let new = Self::new(roots, KindSet::EMPTY).in_namespace(&self.namespace).filling_in(self.variables.clone());
        let mut folder = Self { is_beside: true, ..new };
        folder.reread_changed()?;
        Ok(folder)
    }

    /// The schemas that the CRDs of the Gateway API in the folder install. Of a kind whose CRDs differ, as in a folder with
    /// those of both channels, no schema is known.
    pub fn schemas(&self) -> impl Iterator<Item = (Kind, InstalledSchema)> {
        let mut all: BTreeMap<Kind, Option<InstalledSchema>> = BTreeMap::new();
        for (kind, schema) in self.contents().flat_map(|contents| contents.schemas.iter().copied()) {
            let known = all.entry(kind).or_insert(Some(schema));
            *known = known.filter(|other| *other == schema);
        }
        all.into_iter().filter_map(|(kind, schema)| Some((kind, schema?)))
    }

    /// The same schemas for objects in files, which no API server has validated.
    pub fn unapplied_schemas(&self) -> impl Iterator<Item = (Kind, InstalledSchema)> {
        self.schemas().filter_map(|(kind, schema)| Some((kind, schema.unapplied()?)))
    }

    /// Leaves out some files and folders.
    pub fn excluding(self, exclusion: Exclusion) -> Self {
        Self { exclusion, ..self }
    }

    /// Gives objects that name no namespace this one instead of `default`.
    pub fn in_namespace(self, namespace: &str) -> Self {
        Self { namespace: namespace.to_owned(), ..self }
    }

    /// Fills in variables in the files.
    pub fn filling_in(self, variables: Option<Variables>) -> Self {
        Self { variables, ..self }
    }

    /// Adds GatewayClasses. Where the files define such a class, only the features that it lists are added.
    pub fn with_class_features(self, classes: BTreeMap<ObjectRef, GatewayClassFacts>) -> Self {
        Self { classes, ..self }
    }

    fn with_contents(mut self, name: &Path, text: Option<String>, contents: FileContents) -> Self {
        self.texts.insert(name.to_owned(), text);
        self.files.insert(name.to_owned(), File { stamp: (None, 0), contents });
        self
    }

    fn reading(&self, is_template: bool) -> Reading<'_> {
        Reading { is_template, namespace: &self.namespace, variables: self.variables.as_ref() }
    }

    /// Reads the files that changed and returns the events that bring a view up to date. Fails if a root does not
    /// exist.
    pub fn refresh(&mut self) -> std::io::Result<Vec<Event>> {
        if !self.reread_changed()? {
            return Ok(Vec::new());
        }
        let events = self.difference();
        let copies = self.copies();
        let copies = copies.iter().map(|copies| Problem(copies.to_string()));
        self.problems = self.unread().map(|unread| Problem(unread.to_string())).chain(copies).collect();
        Ok(events)
    }

    /// Reads the files that changed, and returns whether there are any.
    fn reread_changed(&mut self) -> std::io::Result<bool> {
        let walked = |walk: &Walk| (walk.closed.len(), walk.dangling.len(), walk.outside.clone());
        let before = walked(&self.walk);
        self.walk = Walk::of(&self.roots, &self.exclusion)?;
        self.skip_patches();
        let is_walked_alike = before == walked(&self.walk);
        let before = self.files.len();
        let present: BTreeSet<&PathBuf> = self.walk.files.iter().collect();
        self.files.retain(|path, _| present.contains(path) || self.texts.contains_key(path));
        let mut changed = self.files.len() != before || !is_walked_alike || !self.is_read;
        for path in std::mem::take(&mut self.walk.files) {
            let stamp = fs::metadata(&path).map_or((None, 0), |data| (data.modified().ok(), data.len()));
            if self.files.get(&path).is_none_or(|file| file.stamp != stamp) {
                self.reread(path, stamp);
                changed = true;
            }
        }
        self.is_read = true;
        if changed {
            self.number();
        }
        Ok(changed)
    }

    /// The manifests in use, ordered by file and by position in the file.
    pub fn manifests(&self) -> impl Iterator<Item = &Manifest> {
        self.contents().flat_map(|contents| &contents.manifests)
    }

    /// The objects of kinds that are not evaluated and that may change answers.
    pub fn unevaluated(&self) -> impl Iterator<Item = &UnevaluatedObject> {
        self.contents().flat_map(|contents| &contents.unevaluated)
    }

    fn contents(&self) -> impl Iterator<Item = &FileContents> {
        self.files.values().map(|file| &file.contents)
    }

    /// The files that are read, and those that kustomizations among them use as patches.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        let read = self.files.keys().filter(|path| !self.texts.contains_key(*path));
        read.chain(&self.patches).map(PathBuf::as_path)
    }

    /// Whether every file with manifests is excluded whichever path leads to it, such as one that is read as part of another folder.
    pub fn is_read_elsewhere(&self) -> bool {
        self.walk.has_excluded && self.contents().all(FileContents::is_empty)
    }

    /// The number of Secrets and ConfigMaps.
    pub fn offline_objects(&self) -> usize {
        self.contents().map(|contents| contents.secrets.len() + contents.config_maps.len()).sum()
    }

    /// The number of documents with objects of other kinds.
    pub fn others(&self) -> usize {
        self.contents().map(|contents| contents.others).sum()
    }

    /// The number of documents that are not Kubernetes objects.
    pub fn no_objects(&self) -> usize {
        self.contents().map(|contents| contents.no_objects).sum()
    }

    /// The text of a file as it is now; `None` if it is not readable any more.
    pub(super) fn text(&self, file: &Path) -> Option<String> {
        match self.texts.get(file) {
            Some(text) => text.clone(),
            None => read_text(file).ok().flatten(),
        }
    }

    /// The text of a file with its variables filled in.
    pub(super) fn filled<'t>(&self, text: &'t str) -> Filled<'t> {
        Filled::of(text, self.variables.as_ref())
    }

    /// Everything that is not read: documents, files, folders, and objects that cannot be decoded as their kind.
    pub fn unread(&self) -> impl Iterator<Item = &Unread> {
        self.contents().flat_map(|contents| &contents.unread).chain(&self.unread)
    }

    /// The objects that are defined more than once. If the definitions differ, other objects are checked against the
    /// first.
    pub fn copies(&self) -> Vec<DuplicateObject> {
        copies(self.manifests())
    }

    /// One message for each root that has no file named like a manifest. If every root has such a file, but none of the
    /// files contains a manifest, one message for each root, unless the manifests are read elsewhere.
    pub fn empty(&self) -> Vec<String> {
        // What a tool built from a root may be all that it contains.
        let roots = self.walk.empty.iter().filter(|_| self.texts.is_empty());
        let mut empty: Vec<String> = roots.map(|root| words::no_files(root)).collect();
        if empty.is_empty()
            && !self.walk.has_excluded
            && self.walk.outside.is_empty()
            && self.contents().all(FileContents::is_empty)
        {
            let named = self.roots.iter().chain(self.texts.keys());
            empty.extend(named.map(|root| words::no_manifests(root)));
        }
        empty
    }

    /// The hidden files and folders, each with the number of files in it that are named like manifests. None of them is
    /// read.
    pub fn hidden(&self) -> Vec<(&Path, usize)> {
        let counted = self.walk.hidden.iter().map(|path| (path.as_path(), count(path)));
        counted.filter(|(_, count)| *count > 0).collect()
    }

    /// Files named like manifests except for the end of the name, such as `a.yaml.tmpl`. They are not read.
    pub fn templates(&self) -> &[PathBuf] {
        &self.walk.templates
    }

    /// Warnings about manifests that should be written differently, and about kustomizations, which are not built here.
    pub fn warnings(&self) -> Vec<String> {
        let read = self.files.keys().filter(|file| !self.texts.contains_key(*file));
        let kustomized = words::kustomized(read);
        let written = self.contents().flat_map(|contents| contents.warnings.iter().cloned());
        kustomized.into_iter().chain(written).collect()
    }

    /// The current problems, to be reported where the folder fills a view: everything that is not read, and objects
    /// that are defined more than once.
    pub fn problems(&self) -> Vec<Problem> {
        self.problems.clone()
    }

    /// Leaves out the files that kustomizations use as patches: they change objects, and are none.
    fn skip_patches(&mut self) {
        let kustomizations = self.walk.files.iter().filter(|file| Kustomization::is_named(file));
        let patches = kustomizations.filter_map(|file| Kustomization::read(file)).flat_map(|read| read.patches);
        let patches: BTreeSet<PathBuf> = patches.collect();
        let is_patch = |file: &PathBuf| patches.contains(&normalized(file));
        self.patches = if patches.is_empty() {
            Vec::new()
        } else {
            self.walk.files.extract_if(.., |file| is_patch(file)).collect()
        };
    }

    /// Reads a file. If part of it cannot be read, the objects that it contained before stay in use, except those that
    /// the new content defines.
    fn reread(&mut self, path: PathBuf, stamp: Stamp) {
        let before = self.files.remove(&path).map(|file| file.contents).unwrap_or_default();
        let read = if self.is_beside { read_beside } else { read };
        let mut contents = read(&path, self.reading(is_template(&path)));
        if !contents.unread.is_empty() {
            let now: BTreeSet<ObjectRef> =
                contents.manifests.iter().map(|manifest| manifest.object_ref.clone()).collect();
            let stays = |manifest: &Manifest| !now.contains(&manifest.object_ref) && manifest.prefix.is_none();
            contents.manifests.extend(before.manifests.into_iter().filter(stays));
            keep(&mut contents.secrets, before.secrets);
            keep(&mut contents.config_maps, before.config_maps);
        }
        self.files.insert(path, File { stamp, contents });
    }

    /// Gives each object that has only a `generateName` a name of its own, even if several share a prefix: `shop-<1>`,
    /// `shop-<2>`. No object can have such a name, since `<` is not valid in a name.
    fn number(&mut self) {
        let mut used: BTreeMap<ObjectRef, usize> = BTreeMap::new();
        for manifest in self.files.values_mut().flat_map(|file| &mut file.contents.manifests) {
            let Some(prefix) = &manifest.prefix else { continue };
            manifest.object_ref.name = prefix.to_string();
            let number = used.entry(manifest.object_ref.clone()).and_modify(|number| *number += 1).or_insert(1);
            manifest.object_ref.name = format!("{prefix}<{number}>");
        }
    }
}

/// Adds the objects of `before` that are not in `now`.
fn keep<T>(now: &mut Vec<(Name, T)>, before: Vec<(Name, T)>) {
    let held: BTreeSet<Name> = now.iter().map(|(name, _)| name.clone()).collect();
    now.extend(before.into_iter().filter(|(name, _)| !held.contains(name)));
}

/// Whether the file is in the `templates` folder of a Helm chart.
fn is_template(file: &Path) -> bool {
    let folders = file.ancestors().skip(1).filter(|folder| folder.file_name().is_some_and(|name| name == "templates"));
    folders.filter_map(Path::parent).any(chart::is_chart)
}
