//! Reads files of the repository by their paths relative to its root.

use std::fs;
use std::path::{Path, PathBuf};

/// The documents outside `docs`.
const DOCUMENTS: [&str; 6] =
    ["README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "SUPPORT.md"];

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the crate is two folders below the root")
}

/// The content of a file.
pub fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|why| panic!("{file}: {why}"))
}

/// The paths of the documents: those beside the code, and all in `docs`.
pub fn documents() -> Vec<String> {
    let in_docs = ["docs", "docs/guides", "docs/measurements", "docs/status"].into_iter().flat_map(files);
    DOCUMENTS.map(str::to_owned).into_iter().chain(in_docs.filter(|file| file.ends_with(".md"))).collect()
}

/// The paths of the files in a folder, ordered by name.
pub fn files(folder: &str) -> Vec<String> {
    let entries = fs::read_dir(root().join(folder)).unwrap_or_else(|why| panic!("{folder}: {why}"));
    let paths = entries.map(|entry| entry.expect("the folder stays while it is read").path());
    let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
    files.sort();
    let relative = |path: PathBuf| path.strip_prefix(root()).expect("it is in it").display().to_string();
    files.into_iter().map(relative).collect()
}
