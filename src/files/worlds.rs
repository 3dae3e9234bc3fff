//! Which files of a folder describe one cluster: a repository often holds variants of one object, and examples and tests
//! that have nothing to do with each other.
//!
//! Files and folders beside each other are separate if they define one object differently. A folder of tests or examples
//! is separate from what is beside it, and so is each folder in it, and each file directly in a folder of tests; a chart
//! is separate, too. The world of a file are all files from which nothing separates it.
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

/// A file with the objects that it defines.
pub(super) struct DefiningFile<'f> {
    /// The path.
    pub path: &'f Path,
    /// Each object, as JSON.
    pub definitions: Vec<(&'f ObjectRef, &'f str)>,
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
    /// The objects that two of the files define differently, since they are variants of which the cluster has one.
    pub ambiguous: BTreeSet<ObjectRef>,
    /// What these files see of folders above.
    pub above: ParentFolders,
    /// Whether they are examples, of which each is applied by itself with what it refers to.
    pub is_example: bool,
}

impl Worlds {
    /// The worlds of `files`, below the paths `roots` that were given. `is_chart` returns whether a folder is a chart.
    pub(super) fn of(files: &[DefiningFile<'_>], roots: &[PathBuf], is_chart: impl Fn(&Path) -> bool) -> Self {
        let top = common_folder(roots);
        let places: Vec<Place<'_>> = files.iter().map(|file| Place::of(file.path, &top, &is_chart)).collect();
        let variants = variants(files);
        let separated = separated(&variants, &places);
        let separate: HashSet<&[Component<'_>]> = separated.iter().map(|(one, _)| one.as_slice()).collect();
        let mut numbers: BTreeMap<Key<'_>, usize> = BTreeMap::new();
        let mut worlds = Vec::new();
        let mut of_file = BTreeMap::new();
        for (file, place) in files.iter().zip(&places) {
            let number = *numbers.entry(place.key(&separate)).or_insert_with(|| {
                let is_visible = |other: &usize| place.sees(&places[*other], &separated);
                let visible: BTreeSet<usize> = (0..files.len()).filter(is_visible).collect();
                worlds.push(World {
                    files: visible.iter().map(|other| files[*other].path.to_owned()).collect(),
                    ambiguous: ambiguous(&variants, &visible),
                    above: above(place, files, &places, &variants),
                    is_example: place.is_marked,
                });
                worlds.len() - 1
            });
            of_file.insert(file.path.to_owned(), number);
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
    fn of(path: &'f Path, top: &Path, is_chart: impl Fn(&Path) -> bool) -> Self {
        let parts: Vec<Component<'f>> = path.strip_prefix(top).unwrap_or(path).components().collect();
        let folders = parts.len().saturating_sub(1);
        let is_one_of = |part: &Component<'_>, names: &[&str]| {
            part.as_os_str().to_str().is_some_and(|name| names.contains(&name.to_ascii_lowercase().as_str()))
        };
        let is_test = folders > 0 && is_one_of(&parts[folders - 1], &TESTS);
        let is_marked = |part: &Component<'_>| is_one_of(part, &EXAMPLES) || is_one_of(part, &TESTS);
        let is_marked = parts[..folders].iter().any(is_marked);
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
    for (number, file) in files.iter().enumerate() {
        for (object, json) in &file.definitions {
            let of_object = all.entry(object).or_default();
            // Of a file that defines an object twice, the first definition counts.
            if of_object.last().is_none_or(|(last, _)| *last != number) {
                of_object.push((number, json));
            }
        }
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

/// The files and folders that are separate because they define an object differently.
fn separated<'f>(variants: &BTreeMap<&ObjectRef, Vec<(usize, usize)>>, places: &[Place<'f>]) -> Separated<'f> {
    let mut separated = Separated::new();
    for found in variants.values() {
        for (position, (one, spec)) in found.iter().enumerate() {
            for (other, _) in found[position + 1..].iter().filter(|(_, second)| second != spec) {
                let (one, other) = (&places[*one], &places[*other]);
                if one.common(other) >= one.boundary.max(other.boundary)
                    && let Some((first, second)) = one.siblings(other)
                {
                    separated.insert((first.clone(), second.clone()));
                    separated.insert((second, first));
                }
            }
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

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_core::kinds::Kind;

    /// The files of the world of each file, given files with the specs of the Services that they define.
    fn worlds(files: &[(&str, &[(&str, u8)])]) -> Vec<String> {
        let parsed: Vec<(PathBuf, Vec<(ObjectRef, String)>)> = files
            .iter()
            .map(|(path, objects)| {
                let object = |(name, spec): &(&str, u8)| {
                    (ObjectRef::new(Kind::Service, "web", name), format!(r#"{{"spec": {{"a": {spec}}}}}"#))
                };
                (PathBuf::from(path), objects.iter().map(object).collect())
            })
            .collect();
        let files: Vec<DefiningFile<'_>> = parsed
            .iter()
            .map(|(path, objects)| DefiningFile {
                path,
                definitions: objects.iter().map(|(object, json)| (object, json.as_str())).collect(),
            })
            .collect();
        let worlds = Worlds::of(&files, &[], |folder| folder.ends_with("chart"));
        let shown = files.iter().map(|file| {
            let (_, world) = worlds.of_file(file.path).expect("each file has a world");
            let files: Vec<_> = world.files.iter().map(|file| file.display().to_string()).collect();
            let ambiguous: Vec<_> = world.ambiguous.iter().map(|object| format!("!{}", object.name)).collect();
            [files, ambiguous].concat().join(" ")
        });
        shown.collect()
    }

    #[test]
    fn files_without_contradictions_describe_one_cluster() {
        let files: [(&str, &[_]); 3] =
            [("a.yaml", &[("a", 1)]), ("apps/b.yaml", &[("b", 1)]), ("apps/c/c.yaml", &[("a", 1)])];
        assert_eq!(worlds(&files), ["a.yaml apps/b.yaml apps/c/c.yaml"; 3]);
    }

    #[test]
    fn variants_are_separate_and_share_the_rest() {
        let files: [(&str, &[_]); 4] = [
            ("base/common.yaml", &[("db", 1)]),
            ("env/dev/a.yaml", &[("a", 1)]),
            ("env/dev/b.yaml", &[("b", 1)]),
            ("env/prod/a.yaml", &[("a", 2)]),
        ];
        let dev = "base/common.yaml env/dev/a.yaml env/dev/b.yaml";
        let all = "base/common.yaml env/dev/a.yaml env/dev/b.yaml env/prod/a.yaml !a";
        assert_eq!(worlds(&files), [all, dev, dev, "base/common.yaml env/prod/a.yaml"]);
        let files: [(&str, &[_]); 3] = [("a.yaml", &[("a", 1)]), ("b.yaml", &[("a", 2)]), ("c.yaml", &[("c", 1)])];
        assert_eq!(worlds(&files), ["a.yaml c.yaml", "b.yaml c.yaml", "a.yaml b.yaml c.yaml !a"]);
    }

    #[test]
    fn tests_see_what_is_directly_in_folders_above() {
        let files: [(&str, &[_]); 10] = [
            ("tests/00-common/shared.yaml", &[("shared", 1)]),
            ("tests/uncommon/hidden.yaml", &[("hidden", 1)]),
            ("tests/backend.yaml", &[("backend", 1)]),
            ("tests/case/a.yaml", &[("a", 1)]),
            ("tests/one.yaml", &[("variant", 1)]),
            ("tests/two.yaml", &[("variant", 2)]),
            ("variant.yaml", &[("variant", 1)]),
            ("top.yaml", &[("top", 1)]),
            ("deploy/b.yaml", &[("b", 1)]),
            ("tests/other/backend.yaml", &[("backend", 2)]),
        ];
        let parsed: Vec<(ObjectRef, String)> = files
            .iter()
            .map(|(_, objects)| {
                let (name, spec) = objects[0];
                (ObjectRef::new(Kind::Service, "web", name), format!(r#"{{"spec": {{"a": {spec}}}}}"#))
            })
            .collect();
        let defining = files.iter().zip(&parsed).map(|((path, _), (object, json))| DefiningFile {
            path: Path::new(path),
            definitions: vec![(object, json.as_str())],
        });
        let defining: Vec<DefiningFile<'_>> = defining.collect();
        let worlds = Worlds::of(&defining, &[], |_| false);
        let above = |file: &str| {
            let (_, world) = worlds.of_file(Path::new(file)).expect("a world");
            world.above.objects.keys().map(|object| object.name.to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(above("tests/case/a.yaml"), "backend shared top");
        assert_eq!(above("tests/00-common/shared.yaml"), "backend top");
        assert_eq!(above("tests/backend.yaml"), "top variant");
        assert_eq!(above("deploy/b.yaml"), "");
    }

    #[test]
    fn examples_tests_and_charts_are_separate() {
        let files: [(&str, &[_]); 8] = [
            ("deploy/a.yaml", &[("a", 1)]),
            ("examples/one/a.yaml", &[("a", 2)]),
            ("examples/one/b.yaml", &[("b", 1)]),
            ("examples/two/c.yaml", &[("c", 1)]),
            ("examples/d.yaml", &[("d", 1)]),
            ("examples/e.yaml", &[("e", 1)]),
            ("testdata/f.yaml", &[("f", 1)]),
            ("chart/crds/g.yaml", &[("g", 1)]),
        ];
        let one = "examples/one/a.yaml examples/one/b.yaml";
        let beside = "examples/d.yaml examples/e.yaml";
        let expected =
            ["deploy/a.yaml", one, one, "examples/two/c.yaml", beside, beside, "testdata/f.yaml", "chart/crds/g.yaml"];
        assert_eq!(worlds(&files), expected);
    }
}
