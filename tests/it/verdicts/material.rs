//! All test material: the examples of all pages, the manifests of the repository and of the Go modules with CRDs, and a
//! corpus if there is one.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use portcullis_testing::page::{Example, examples};
use serde_json::Value;

use super::Words;
use crate::harness::{NEWEST, contour_examples, contour_lack, examples as gateway_examples, gateway_lack};

/// The objects of one cluster.
#[derive(Debug, Default)]
pub struct Snapshot {
    /// The file, with a number if it contains several clusters.
    pub name: String,
    /// The configuration without its first two lines. Without one, all profiles are used.
    pub config: Option<String>,
    /// The objects.
    pub documents: Vec<Value>,
    /// The first object before an update.
    pub old: Option<Value>,
    /// Whether the first object is deleted.
    pub is_deleted: bool,
}

/// The folders of manifests below the root. Each file and each folder is a cluster.
const FOLDERS: [&str; 4] = ["demo", "examples", "manifests", "tests"];

/// The path of the corpus, relative to the root.
const CORPUS: &str = "../shared/corpus/real-manifests.json.gz";

/// The material below `root`, in which `words` are translated.
pub fn all(root: &Path, words: &Words) -> Vec<Snapshot> {
    let mut worlds = Vec::new();
    for file in files(&root.join("crates/portcullis-core/src/checks"), "md") {
        let page = words.translate(&read(&file));
        let name = relative(root, &file);
        worlds.extend(examples(&page).into_iter().enumerate().map(|(number, it)| of_example(&name, number, it)));
    }
    for folder in FOLDERS {
        worlds.extend(of_folder(root, &root.join(folder), words));
    }
    worlds.extend(of_modules());
    worlds.extend(of_corpus(&root.join(CORPUS)));
    worlds
}

fn of_example(page: &str, number: usize, example: Example) -> Snapshot {
    Snapshot {
        name: format!("{page}#{number}"),
        config: example.config,
        documents: documents(&example.yaml),
        old: example.old.and_then(|old| documents(&old).into_iter().next()),
        is_deleted: example.delete,
    }
}

/// A cluster for each file below the folder, and one for each folder with several files.
fn of_folder(root: &Path, folder: &Path, words: &Words) -> Vec<Snapshot> {
    let mut folders: BTreeMap<PathBuf, Vec<Snapshot>> = BTreeMap::new();
    for file in files(folder, "yaml").into_iter().chain(files(folder, "json")) {
        let documents = documents(&words.translate(&read(&file)));
        let world = Snapshot { name: relative(root, &file), documents, ..Snapshot::default() };
        folders.entry(file.parent().unwrap_or(folder).to_owned()).or_default().push(world);
    }
    let with_whole = folders.into_iter().flat_map(|(folder, files)| {
        let documents = files.iter().flat_map(|world| world.documents.clone()).collect();
        let whole = Snapshot { name: relative(root, &folder), documents, ..Snapshot::default() };
        let whole = (files.len() > 1).then_some(whole);
        files.into_iter().chain(whole)
    });
    with_whole.filter(|world| !world.documents.is_empty()).collect()
}

/// The examples of the Go modules with CRDs, if Go is available.
fn of_modules() -> Vec<Snapshot> {
    let mut files = Vec::new();
    match gateway_lack() {
        None => files.extend(gateway_examples(NEWEST).into_iter().map(|file| ("gateway-api", file))),
        Some(lack) => eprintln!("the examples of the Gateway API are left out: {lack}"),
    }
    match contour_lack() {
        None => files.extend(contour_examples().into_iter().map(|file| ("contour", file))),
        Some(lack) => eprintln!("the examples of Contour are left out: {lack}"),
    }
    let world = |(module, (file, text)): (&str, (PathBuf, String))| Snapshot {
        name: format!("{module}/{}", file.display()),
        documents: documents(&text),
        ..Snapshot::default()
    };
    files.into_iter().map(world).collect()
}

/// The objects of the corpus. Those of one repository form a cluster.
fn of_corpus(file: &Path) -> Vec<Snapshot> {
    if !file.exists() {
        eprintln!("the corpus is left out: there is no {}", file.display());
        return Vec::new();
    }
    let unpacked = Command::new("gzip").arg("-dc").arg(file).output().expect("gzip is on the PATH");
    let entries: Vec<Value> = serde_json::from_slice(&unpacked.stdout).expect("the corpus is a list");
    let mut worlds: BTreeMap<String, Snapshot> = BTreeMap::new();
    for mut entry in entries {
        let name = format!("corpus/{}", entry["repo"].as_str().unwrap_or_default());
        let world = worlds.entry(name.clone()).or_insert_with(|| Snapshot { name, ..Snapshot::default() });
        world.documents.push(entry["object"].take());
    }
    worlds.into_values().collect()
}

/// The objects in a YAML or JSON text: documents, items of a List, and the object of a review. A text that cannot be
/// parsed gives none.
fn documents(text: &str) -> Vec<Value> {
    let documents = serde_saphyr::from_multiple::<Value>(text).unwrap_or_default();
    let opened = documents.into_iter().flat_map(|mut document| match document["kind"].as_str() {
        Some("AdmissionReview") => vec![document["request"]["object"].take()],
        Some("List") => document["items"].as_array().cloned().unwrap_or_default(),
        _ => vec![document],
    });
    opened.filter(Value::is_object).collect()
}

/// The files with this extension below a folder, by path; none if there is no folder.
fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a folder can be read").path()).collect();
    paths.sort();
    let below = paths.into_iter().flat_map(|path| match path.extension() {
        _ if path.is_dir() => files(&path, extension),
        Some(own) if own == extension => vec![path],
        _ => Vec::new(),
    });
    below.collect()
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
}

fn relative(root: &Path, path: &Path) -> String {
    path.strip_prefix(root).expect("it was found below the root").display().to_string()
}
