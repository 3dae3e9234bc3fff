//! Which files of a folder describe one cluster: a repository often holds variants of one object, and examples and tests
//! that have nothing to do with each other.
//!
//! Files and folders beside each other are separate if they define one object differently. An object without a namespace is that of any
//! namespace, and so is an object of a common base in two kustomizations. A folder with three specs of one object is one of examples. A
//! folder of tests or examples is separate from what is beside it, and so is each folder in it, and each file directly in a folder of
//! tests; a chart is separate, too. The world of a file are all files from which nothing separates it.
//!
//! What tests or examples have in common is often in a folder above theirs. So they also see the Gateways, Services, Secrets and
//! ConfigMaps of the files directly in such a folder, unless these files define a Gateway or a Service differently; and those of a
//! folder in it whose name says that others use it, such as `00-common`.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use portcullis_core::kinds::{Kind, ObjectRef};

/// The names of folders with examples, each of which is a folder or stands beside the others.
const EXAMPLES: [&str; 11] =
    ["demo", "demos", "doc", "docs", "example", "examples", "quickstart", "sample", "samples", "tutorial", "tutorials"];
/// The names of folders with tests, each of which is a folder or a file.
const TESTS: [&str; 10] =
    ["conformance", "e2e", "fixture", "fixtures", "mock", "mocks", "test", "testdata", "testing", "tests"];
/// The names of folders with what the folders beside them use, possibly after a number.
const COMMON: [&str; 4] = ["base", "common", "setup", "shared"];

/// The number of specs of one object in a folder that make it a collection of alternatives.
const ALTERNATIVES: usize = 3;

/// A file with the objects that it defines.
pub(super) struct DefiningFile<'f> {
    /// The path.
    pub path: &'f Path,
    /// Each object, as JSON.
    pub definitions: Vec<(&'f ObjectRef, &'f str)>,
    /// The objects that name no namespace.
    pub lacking: BTreeSet<&'f ObjectRef>,
    /// The kustomizations upon which it is built.
    pub bases: &'f BTreeSet<PathBuf>,
}

/// What tests and examples see of the files directly in the folders above them.
#[derive(Debug, Default)]
pub struct ParentFolders {
    /// The files, those of the nearest folder first.
    pub files: Vec<PathBuf>,
    /// Their Gateways and Services, each with the file that defines it. The nearest folder with a definition counts; if files in it
    /// define the object differently, it is not known.
    pub objects: BTreeMap<ObjectRef, PathBuf>,
}

/// The worlds of some files.
#[derive(Debug)]
pub struct Worlds {
    of_file: BTreeMap<PathBuf, usize>,
    worlds: Vec<World>,
}

/// Files that describe one cluster.
#[derive(Debug)]
pub struct World {
    /// The files.
    pub files: BTreeSet<PathBuf>,
    /// The objects of which nothing is known: two of the files define them differently, or only a file of the same folder does that
    /// is separate, since both define another object. They are variants, of which the cluster has one.
    pub unknown: BTreeSet<ObjectRef>,
    /// What these files see of folders above.
    pub above: ParentFolders,
    /// Whether they are examples, of which each is applied by itself with what it refers to.
    pub is_example: bool,
}

impl Worlds {
    /// The worlds of `files`, below the paths `roots` that were given. `is_chart` returns whether a folder is a chart.
    pub(super) fn of(files: &[DefiningFile<'_>], roots: &[PathBuf], is_chart: impl Fn(&Path) -> bool) -> Self {
        let top = common_folder(roots);
        let variants = variants(files);
        let catalogues = catalogues(&variants, files);
        let is_alternative =
            |file: &DefiningFile<'_>| file.path.parent().is_some_and(|folder| catalogues.contains(folder));
        let places: Vec<Place<'_>> =
            files.iter().map(|file| Place::of(file.path, &top, &is_chart, is_alternative(file))).collect();
        let pairs = pairs_of_variants(&variants).chain(pairs_of_overlays(files));
        let separated = separated(pairs, &places);
        let separate: HashSet<&[Component<'_>]> = separated.iter().map(|(one, _)| one.as_slice()).collect();
        let mut numbers: BTreeMap<Key<'_>, usize> = BTreeMap::new();
        let mut worlds = Vec::new();
        let mut of_file = BTreeMap::new();
        for (number, (file, place)) in files.iter().zip(&places).enumerate() {
            let world = *numbers.entry(place.key(&separate)).or_insert_with(|| {
                let is_visible = |other: &usize| place.sees(&places[*other], &separated);
                let visible: BTreeSet<usize> = (0..files.len()).filter(is_visible).collect();
                worlds.push(World {
                    files: visible.iter().map(|other| files[*other].path.to_owned()).collect(),
                    unknown: &ambiguous(&variants, &visible) | &only_in_variants(number, files, &places, &visible),
                    above: above(place, files, &places, &variants),
                    is_example: place.is_marked,
                });
                worlds.len() - 1
            });
            of_file.insert(file.path.to_owned(), world);
        }
        Self { of_file, worlds }
    }

    /// Whether all files describe one cluster, so that each is judged beside all others.
    pub fn is_one(&self) -> bool {
        self.worlds.len() < 2 && !self.worlds.iter().any(|world| world.is_example)
    }

    /// The number of the world of a file, and the world; `None` for a file that defines no object.
    pub fn of_file(&self, file: &Path) -> Option<(usize, &World)> {
        let number = *self.of_file.get(file)?;
        Some((number, &self.worlds[number]))
    }
}

/// The folder that contains all roots. A root that is a file counts with its folder.
fn common_folder(roots: &[PathBuf]) -> PathBuf {
    let folder = |root: &PathBuf| if root.is_dir() { root.clone() } else { parent(root) };
    let mut folders = roots.iter().map(folder);
    let first = folders.next().unwrap_or_default();
    folders.fold(first, |common, folder| {
        common
            .components()
            .zip(folder.components())
            .take_while(|(one, other)| one == other)
            .map(|(one, _)| one)
            .collect()
    })
}

fn parent(path: &Path) -> PathBuf {
    path.parent().map(Path::to_owned).unwrap_or_default()
}

/// Where a file is.
#[derive(Debug)]
struct Place<'f> {
    /// The folders below the top, then the file.
    parts: Vec<Component<'f>>,
    /// How many of them lead to the folder, or the file, out of which it sees nothing.
    boundary: usize,
    /// Whether it is one of the tests or examples.
    is_marked: bool,
}

/// The folder or file below which a file is, among those that are separate from others beside them, and the boundary.
type Key<'f> = (Vec<Component<'f>>, Vec<Vec<Component<'f>>>);

/// Pairs of files and folders beside each other, in both orders.
type Separated<'f> = HashSet<(Vec<Component<'f>>, Vec<Component<'f>>)>;

impl<'f> Place<'f> {
    fn of(path: &'f Path, top: &Path, is_chart: impl Fn(&Path) -> bool, is_alternative: bool) -> Self {
        let parts: Vec<Component<'f>> = path.strip_prefix(top).unwrap_or(path).components().collect();
        let folders = parts.len().saturating_sub(1);
        let is_one_of = |part: &Component<'_>, names: &[&str]| {
            part.as_os_str().to_str().is_some_and(|name| names.contains(&name.to_ascii_lowercase().as_str()))
        };
        let is_test = folders > 0 && is_one_of(&parts[folders - 1], &TESTS);
        let is_marked = |part: &Component<'_>| is_one_of(part, &EXAMPLES) || is_one_of(part, &TESTS);
        let is_marked = is_alternative || parts[..folders].iter().any(is_marked);
        let boundary = match is_marked {
            true if is_test => parts.len(),
            true => folders,
            false => {
                let chart = |count: &usize| is_chart(&top.join(parts[..*count].iter().collect::<PathBuf>()));
                (1..=folders).rev().find(chart).unwrap_or(0)
            }
        };
        Self { parts, boundary, is_marked }
    }

    /// The number of folders that two files have in common.
    fn common(&self, other: &Self) -> usize {
        self.parts.iter().zip(&other.parts).take_while(|(one, other)| one == other).count()
    }

    /// What is below the folder that contains both: the folders or files in which the two are.
    fn siblings(&self, other: &Self) -> Option<(Vec<Component<'f>>, Vec<Component<'f>>)> {
        let count = self.common(other) + 1;
        Some((self.parts.get(..count)?.to_vec(), other.parts.get(..count)?.to_vec()))
    }

    /// Whether the two files describe one cluster.
    fn sees(&self, other: &Self, separated: &Separated<'f>) -> bool {
        self.parts == other.parts
            || (self.common(other) >= self.boundary.max(other.boundary)
                && self.siblings(other).is_none_or(|pair| !separated.contains(&pair)))
    }

    /// What all files of one world have in common.
    fn key(&self, separate: &HashSet<&[Component<'f>]>) -> Key<'f> {
        let all = (self.boundary.max(1)..=self.parts.len()).map(|count| &self.parts[..count]);
        (self.parts[..self.boundary].to_vec(), all.filter(|own| separate.contains(own)).map(<[_]>::to_vec).collect())
    }
}

/// What the file at `place` sees of folders above.
fn above(
    place: &Place<'_>,
    files: &[DefiningFile<'_>],
    places: &[Place<'_>],
    variants: &BTreeMap<&ObjectRef, Vec<(usize, usize)>>,
) -> ParentFolders {
    let mut above = ParentFolders::default();
    let mut seen: BTreeMap<&ObjectRef, Option<&Path>> = BTreeMap::new();
    let own = place.boundary.min(place.parts.len() - 1);
    for folder in (0..own).rev().map(|count| &place.parts[..count]).filter(|_| place.is_marked) {
        let is_in = |number: &usize| {
            let Some((_, folders)) = places[*number].parts.split_last() else { return false };
            let in_common = folders.split_last().is_some_and(|(last, rest)| rest == folder && is_common(last));
            folders == folder || (in_common && !place.parts.starts_with(folders))
        };
        let directly: BTreeSet<usize> = (0..files.len()).filter(is_in).collect();
        let ambiguous = ambiguous(variants, &directly);
        let mut here = BTreeMap::new();
        for file in directly.iter().map(|number| &files[*number]) {
            above.files.push(file.path.to_owned());
            let objects = file.definitions.iter().map(|(object, _)| *object);
            for object in objects.filter(|object| matches!(object.kind, Kind::Gateway | Kind::Service)) {
                here.entry(object).or_insert((!ambiguous.contains(object)).then_some(file.path));
            }
        }
        here.into_iter().for_each(|(object, file)| {
            seen.entry(object).or_insert(file);
        });
    }
    above.objects = seen.into_iter().filter_map(|(object, file)| Some((object.clone(), file?.to_owned()))).collect();
    above
}

/// Whether the name of a folder says that the folders beside it use what it holds.
fn is_common(folder: &Component<'_>) -> bool {
    let name = folder.as_os_str().to_string_lossy().to_ascii_lowercase();
    COMMON.contains(&name.trim_start_matches(|first: char| first.is_ascii_digit() || matches!(first, '-' | '_' | '.')))
}

/// The objects of which files have different specs: the files, each with the number of its spec.
fn variants<'f>(files: &'f [DefiningFile<'_>]) -> BTreeMap<&'f ObjectRef, Vec<(usize, usize)>> {
    let mut all: BTreeMap<&ObjectRef, Vec<(usize, &str)>> = BTreeMap::new();
    let mut lacking: BTreeMap<(Kind, &str), Vec<(usize, &str)>> = BTreeMap::new();
    for (number, file) in files.iter().enumerate() {
        for (object, json) in &file.definitions {
            let of_object = all.entry(object).or_default();
            // Of a file that defines an object twice, the first definition counts.
            if of_object.last().is_none_or(|(last, _)| *last != number) {
                of_object.push((number, json));
                if file.lacking.contains(object) {
                    lacking.entry((object.kind, &*object.name)).or_default().push((number, json));
                }
            }
        }
    }
    for (object, found) in &mut all {
        let files: BTreeSet<usize> = found.iter().map(|(file, _)| *file).collect();
        let further = lacking.get(&(object.kind, &*object.name)).into_iter().flatten();
        found.extend(further.filter(|(file, _)| !files.contains(file)));
    }
    let several = all.into_iter().filter(|(_, found)| found.len() > 1);
    let numbered = several.map(|(object, found)| {
        let mut specs: Vec<Value> = Vec::new();
        let mut number = |json: &str| {
            let spec =
                serde_json::from_str::<Value>(json).ok().and_then(|mut object| Some(object.get_mut("spec")?.take()));
            let spec = spec.unwrap_or_default();
            specs.iter().position(|known| *known == spec).unwrap_or_else(|| {
                specs.push(spec);
                specs.len() - 1
            })
        };
        let found: Vec<_> = found.into_iter().map(|(file, json)| (file, number(json))).collect();
        (object, found)
    });
    numbered.filter(|(_, found)| found.iter().any(|(_, spec)| *spec > 0)).collect()
}

/// The folders in which files define one object in several ways, of which a cluster has one: collections of alternatives.
fn catalogues<'f>(
    variants: &BTreeMap<&ObjectRef, Vec<(usize, usize)>>,
    files: &'f [DefiningFile<'_>],
) -> HashSet<&'f Path> {
    let mut catalogues = HashSet::new();
    for found in variants.values() {
        let mut specs: BTreeMap<&Path, BTreeSet<usize>> = BTreeMap::new();
        for (file, spec) in found {
            if let Some(folder) = files[*file].path.parent() {
                specs.entry(folder).or_default().insert(*spec);
            }
        }
        catalogues.extend(specs.iter().filter(|(_, specs)| specs.len() >= ALTERNATIVES).map(|(folder, _)| *folder));
    }
    catalogues
}

/// The files that define an object differently, each pair in one order.
fn pairs_of_variants(variants: &BTreeMap<&ObjectRef, Vec<(usize, usize)>>) -> impl Iterator<Item = (usize, usize)> {
    variants.values().flat_map(|found| {
        found.iter().enumerate().flat_map(move |(position, (one, spec))| {
            let others = found[position + 1..].iter().filter(move |(_, second)| second != spec);
            others.map(|(other, _)| (*one, *other))
        })
    })
}

/// The kustomizations that put an object of a common base into different namespaces, each pair in one order.
fn pairs_of_overlays(files: &[DefiningFile<'_>]) -> impl Iterator<Item = (usize, usize)> {
    let namespaces = |file: &DefiningFile<'_>| {
        let definitions = file.definitions.iter();
        definitions.map(|(object, _)| ((object.kind, object.name.clone()), object.namespace.clone())).collect()
    };
    let built = files.iter().enumerate().filter(|(_, file)| !file.bases.is_empty());
    let built: Vec<(usize, &DefiningFile<'_>, BTreeMap<_, _>)> =
        built.map(|(number, file)| (number, file, namespaces(file))).collect();
    let mut pairs = Vec::new();
    for (position, (number, one, own)) in built.iter().enumerate() {
        let later = built[position + 1..].iter().filter(|(_, other, _)| !one.bases.is_disjoint(other.bases));
        let is_moved =
            |theirs: &BTreeMap<_, _>| own.iter().any(|(object, own)| theirs.get(object).is_some_and(|it| it != own));
        pairs.extend(later.filter(|(.., theirs)| is_moved(theirs)).map(|(other, ..)| (*number, *other)));
    }
    pairs.into_iter()
}

/// The files and folders in which these files are, if nothing else separates them.
fn separated<'f>(pairs: impl Iterator<Item = (usize, usize)>, places: &[Place<'f>]) -> Separated<'f> {
    let mut separated = Separated::new();
    for (one, other) in pairs.map(|(one, other)| (&places[one], &places[other])) {
        if one.common(other) >= one.boundary.max(other.boundary)
            && let Some((first, second)) = one.siblings(other)
        {
            separated.insert((first.clone(), second.clone()));
            separated.insert((second, first));
        }
    }
    separated
}

/// The objects that two of the files define differently.
fn ambiguous(variants: &BTreeMap<&ObjectRef, Vec<(usize, usize)>>, files: &BTreeSet<usize>) -> BTreeSet<ObjectRef> {
    let is_ambiguous = |found: &&Vec<(usize, usize)>| {
        let mut specs = found.iter().filter(|(file, _)| files.contains(file)).map(|(_, spec)| spec);
        let first = specs.next();
        specs.any(|spec| Some(spec) != first)
    };
    let all = variants.iter().filter(|(_, found)| is_ambiguous(found));
    all.map(|(object, _)| (*object).clone()).collect()
}

/// The objects that only files in the folder of file `number` define from which variants separate it.
fn only_in_variants(
    number: usize,
    files: &[DefiningFile<'_>],
    places: &[Place<'_>],
    visible: &BTreeSet<usize>,
) -> BTreeSet<ObjectRef> {
    let own = &places[number];
    let is_beside = |other: &usize| {
        let place = &places[*other];
        place.parts.len() == own.parts.len()
            && own.common(place) + 1 == own.parts.len()
            && own.boundary < own.parts.len()
    };
    let objects = |file: usize| files[file].definitions.iter().map(|(object, _)| *object);
    let defined: HashSet<&ObjectRef> = visible.iter().flat_map(|file| objects(*file)).collect();
    let hidden = (0..files.len()).filter(|other| !visible.contains(other)).filter(is_beside);
    hidden.flat_map(objects).filter(|object| !defined.contains(object)).cloned().collect()
}

#[cfg(test)]
mod tests;
