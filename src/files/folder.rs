//! A folder of manifests as the rest of the cluster: read again when it changes, and the last good state kept where it breaks.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::lookalike::Lookalike;
use super::manifest::{Contents, FileError, Manifest, read};
use crate::cluster::{Event, Facts, Knowledge, Secrets};
use crate::kinds::{Kind, Misfit, ObjectRef};

/// What a folder held when it was last read.
#[derive(Debug)]
pub struct Folder {
    roots: Vec<PathBuf>,
    /// Whether kinds that the folder does not hold are known to have no objects.
    complete: bool,
    files: BTreeMap<PathBuf, File>,
    objects: BTreeMap<ObjectRef, Facts>,
    secrets: Secrets,
    /// Whether it ever held a Secret.
    has_secrets: bool,
    /// Kinds that the folder held once stay complete when their last manifest goes.
    kinds: BTreeSet<Kind>,
    /// Objects that are not of the shape of their kind.
    misshapen: Vec<Problem>,
    /// What was wrong when it last changed.
    problems: Vec<Problem>,
    /// Whether it was ever read.
    known: bool,
}

#[derive(Debug)]
struct File {
    stamp: Stamp,
    contents: Contents,
    error: Option<String>,
}

/// Tells whether a file may have changed. A volume that is swapped by symlink gives other times behind the same name.
type Stamp = (Option<SystemTime>, u64);

/// What is wrong with a folder at the moment; the rest of it is in force.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem(pub String);

impl Folder {
    /// These folders and files as one, not read yet.
    pub fn new(roots: &[PathBuf], complete: bool) -> Self {
        let (files, objects, secrets, kinds, misshapen, problems) = Default::default();
        let (roots, has_secrets, known) = (roots.to_vec(), false, false);
        Self { roots, complete, files, objects, secrets, has_secrets, kinds, misshapen, problems, known }
    }

    /// Reads what changed: the events that bring a view up to date. An error means that a folder itself cannot be listed.
    pub fn refresh(&mut self) -> std::io::Result<Vec<Event>> {
        let mut paths = Vec::new();
        for root in &self.roots {
            list(root, &mut paths)?;
        }
        let before = self.files.len();
        let present: BTreeSet<&PathBuf> = paths.iter().collect();
        self.files.retain(|path, _| present.contains(path));
        let mut changed = self.files.len() != before || !self.known;
        for path in paths {
            let stamp = fs::metadata(&path).map_or((None, 0), |data| (data.modified().ok(), data.len()));
            if self.files.get(&path).is_none_or(|file| file.stamp != stamp) {
                self.reread(path, stamp);
                changed = true;
            }
        }
        self.known = true;
        if !changed {
            return Ok(Vec::new());
        }
        self.number();
        let events = self.difference();
        self.problems = self.faults();
        Ok(events)
    }

    /// The manifests in force, by file and position.
    pub fn manifests(&self) -> impl Iterator<Item = &Manifest> {
        self.files.values().flat_map(|file| &file.contents.manifests)
    }

    /// Documents that are skipped although they look as if one of our kinds was meant.
    pub fn lookalikes(&self) -> impl Iterator<Item = &Lookalike> {
        self.files.values().flat_map(|file| &file.contents.lookalikes)
    }

    /// How many documents are of other kinds.
    pub fn others(&self) -> usize {
        self.files.values().map(|file| file.contents.others).sum()
    }

    /// What is wrong at the moment: broken files, objects of another shape, and objects that stand in two places.
    pub fn problems(&self) -> Vec<Problem> {
        self.problems.clone()
    }

    fn faults(&self) -> Vec<Problem> {
        let broken = self.files.values().filter_map(|file| file.error.clone()).map(Problem);
        let mut problems: Vec<Problem> = broken.chain(self.misshapen.iter().cloned()).collect();
        let mut seen: BTreeMap<&ObjectRef, &Path> = BTreeMap::new();
        for manifest in self.manifests() {
            if let Some(first) = seen.insert(&manifest.place, &manifest.file) {
                let (place, second) = (&manifest.place, manifest.file.display());
                problems.push(Problem(format!("{place} stands in {} and in {second}", first.display())));
            }
        }
        problems
    }

    /// A broken file keeps its last good objects.
    fn reread(&mut self, path: PathBuf, stamp: Stamp) {
        let before = self.files.remove(&path).map(|file| file.contents);
        let (contents, error) = match read(&path) {
            Ok(contents) => (contents, None),
            Err(error) => (before.unwrap_or_default(), Some(describe(&error))),
        };
        self.files.insert(path, File { stamp, contents, error });
    }

    /// Objects whose names are still to be made stand in places of their own, also where they share a prefix: `shop-<1>`, `shop-<2>`, which
    /// nobody can write as a name.
    fn number(&mut self) {
        let mut used: BTreeMap<ObjectRef, usize> = BTreeMap::new();
        for manifest in self.files.values_mut().flat_map(|file| &mut file.contents.manifests) {
            let Some(prefix) = &manifest.prefix else { continue };
            manifest.place.name = prefix.to_string();
            let number = used.entry(manifest.place.clone()).and_modify(|number| *number += 1).or_insert(1);
            manifest.place.name = format!("{prefix}<{number}>");
        }
    }

    /// An object that lost its shape stays what it was last, like a broken file; where it was nothing, nobody can say what there is of its
    /// kind.
    fn difference(&mut self) -> Vec<Event> {
        let mut now: BTreeMap<ObjectRef, Facts> = BTreeMap::new();
        let mut unknown: BTreeSet<Kind> = BTreeSet::new();
        self.misshapen.clear();
        for manifest in self.files.values().flat_map(|file| &file.contents.manifests) {
            let place = &manifest.place;
            self.kinds.insert(place.kind);
            let facts = match manifest.object() {
                Ok(object) => Some(Facts::of(&object).named(&place.name)),
                Err(_) => {
                    let (file, misfit) = (manifest.file.display(), Misfit::of(place.kind, &manifest.json));
                    self.misshapen.push(Problem(format!("{file}: {place} cannot be read: {misfit}")));
                    let instead = self.objects.get(place).filter(|facts| !facts.is_unreadable()).cloned();
                    let instead = instead.or_else(|| Facts::of_unreadable(place, &manifest.json));
                    unknown.extend(instead.is_none().then_some(place.kind));
                    instead
                }
            };
            if let Some(facts) = facts {
                now.entry(place.clone()).or_insert(facts);
            }
        }
        let gone = self.objects.keys().filter(|place| !now.contains_key(*place)).cloned().map(Event::Gone);
        let mut events: Vec<Event> = gone.collect();
        let new = now.iter().filter(|(place, facts)| self.objects.get(*place) != Some(*facts));
        events.extend(new.map(|(_, facts)| Event::Put(facts.clone())));
        let knowledge = |kind| if unknown.contains(&kind) { Knowledge::Partial } else { self.knowledge(kind) };
        events.extend(Kind::ALL.map(|kind| Event::Learned(kind, knowledge(kind))));
        self.objects = now;
        let held = self.files.values().flat_map(|file| &file.contents.secrets);
        let secrets: Secrets = held.cloned().collect();
        self.has_secrets |= !secrets.is_empty();
        if secrets != self.secrets || self.complete {
            events.push(Event::Secrets(secrets.clone(), self.complete || self.has_secrets));
            self.secrets = secrets;
        }
        events
    }

    fn knowledge(&self, kind: Kind) -> Knowledge {
        if self.complete || self.kinds.contains(&kind) { Knowledge::Complete } else { Knowledge::Partial }
    }
}

fn describe(error: &FileError) -> String {
    error.to_string()
}

/// The manifests under `path`, sorted; hidden files and folders (`..data` of a mounted volume) are passed over.
fn list(path: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let named = |error: std::io::Error| std::io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    if fs::metadata(path).map_err(named)?.is_file() {
        paths.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path).map_err(named)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    entries.sort();
    for entry in entries {
        let name = entry.file_name().unwrap_or_default().to_string_lossy();
        let is_manifest =
            entry.extension().is_some_and(|kind| ["yaml", "yml", "json"].iter().any(|known| kind == *known));
        if name.starts_with('.') || !(is_manifest || entry.is_dir()) {
            continue;
        }
        list(&entry, paths)?;
    }
    Ok(())
}
