//! Kustomizations: which files they use as patches, which are not objects, and which folders they build upon.

use std::fs;
use std::path::{Component, Path, PathBuf};

use serde::Deserialize;

/// The names of the file that makes a folder a kustomization.
const NAMES: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// A kustomization, as far as it matters which files are objects.
#[derive(Debug)]
pub(super) struct Kustomization {
    /// The files with patches, which change objects and are not objects.
    pub patches: Vec<PathBuf>,
    /// The files and folders that it builds upon.
    pub resources: Vec<PathBuf>,
    /// Whether it can only be built as a part of another one.
    pub is_component: bool,
}

#[derive(Deserialize, Default)]
#[serde(default, rename_all = "camelCase")]
struct Document {
    kind: String,
    resources: Vec<String>,
    bases: Vec<String>,
    components: Vec<String>,
    patches: Vec<Patch>,
    #[serde(rename = "patchesJson6902")]
    patches_json_6902: Vec<Patch>,
    patches_strategic_merge: Vec<String>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Patch {
    path: String,
}

impl Kustomization {
    /// The file that makes `folder` a kustomization; `None` if it is none.
    pub(super) fn file_of(folder: &Path) -> Option<PathBuf> {
        NAMES.iter().map(|name| folder.join(name)).find(|file| file.is_file())
    }

    /// Whether a file has the name of a kustomization.
    pub(super) fn is_named(file: &Path) -> bool {
        file.file_stem().is_some_and(|name| name.eq_ignore_ascii_case("kustomization"))
    }

    /// Reads a kustomization; `None` if it cannot be read.
    pub(super) fn read(file: &Path) -> Option<Self> {
        let document: Document = serde_saphyr::from_str(&fs::read_to_string(file).ok()?).ok()?;
        let folder = file.parent()?;
        let below = |path: String| normalized(&folder.join(path));
        let files = document.patches.into_iter().chain(document.patches_json_6902).map(|patch| patch.path);
        // A strategic merge patch may also be written in place.
        let merged = document.patches_strategic_merge.into_iter();
        let patches = files.chain(merged).filter(|path| !path.is_empty() && !path.contains('\n')).map(below).collect();
        let resources = document.resources.into_iter().chain(document.bases).chain(document.components);
        let is_component = document.kind == "Component";
        Some(Self { patches, resources: resources.map(below).collect(), is_component })
    }
}

/// The path without `.` and, where a name is before it, without `..`.
pub(super) fn normalized(path: &Path) -> PathBuf {
    let mut all = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(all.components().next_back(), Some(Component::Normal(_))) => {
                all.pop();
            }
            other => all.push(other),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_compared_without_detours() {
        for (path, expected) in
            [("a/./b/../c", "a/c"), ("../a", "../a"), ("./a", "a"), ("a/../../b", "../b"), ("/a/..", "/")]
        {
            assert_eq!(normalized(Path::new(path)), Path::new(expected), "{path}");
        }
    }
}
