//! Objects that are defined more than once, in several files or in one.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use super::manifest::Manifest;
use portcullis_core::kinds::ObjectRef;

/// An object that is defined more than once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DuplicateObject {
    /// The reference to the object.
    pub object: ObjectRef,
    /// The file of each definition. The first definition is the one that other objects are checked against.
    pub files: Vec<Arc<Path>>,
    /// Whether all definitions are identical.
    pub are_alike: bool,
}

/// The maximum number of files that the message names.
const NAMED: usize = 4;

/// The objects that `manifests` define more than once, sorted by reference.
pub(super) fn copies<'m>(manifests: impl Iterator<Item = &'m Manifest>) -> Vec<DuplicateObject> {
    let mut first: BTreeMap<&ObjectRef, &Manifest> = BTreeMap::new();
    let mut found: BTreeMap<&ObjectRef, DuplicateObject> = BTreeMap::new();
    for manifest in manifests {
        let Some(first) = first.get(&manifest.object_ref) else {
            first.insert(&manifest.object_ref, manifest);
            continue;
        };
        let copies = found.entry(&manifest.object_ref).or_insert_with(|| DuplicateObject {
            object: manifest.object_ref.clone(),
            files: vec![Arc::clone(&first.file)],
            are_alike: true,
        });
        copies.files.push(Arc::clone(&manifest.file));
        copies.are_alike &= manifest.json == first.json;
    }
    found.into_values().collect()
}

impl fmt::Display for DuplicateObject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message("other objects are judged beside the first"))
    }
}

impl DuplicateObject {
    /// The message about it where the files of each world are judged by themselves.
    pub fn by_world(&self) -> String {
        self.message("each is judged beside the files around it")
    }

    /// The message about it, with what follows if the definitions differ.
    fn message(&self, consequence: &str) -> String {
        let Self { object, files, are_alike } = self;
        let mut named: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        named.dedup();
        let more = named.len().saturating_sub(NAMED);
        named.truncate(NAMED);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let alike = if *are_alike { ", each time the same".to_owned() } else { format!("; {consequence}") };
        format!("{object} is defined {} times: {}{more}{alike}", files.len(), named.join(", "))
    }
}
