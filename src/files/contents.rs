//! What a file holds.

use super::manifest::Manifest;
use super::unread::Unread;
use portcullis_core::cluster::{Name, SecretFacts};

/// What a file holds.
#[derive(Debug, Default)]
pub struct FileContents {
    /// The objects of our kinds.
    pub manifests: Vec<Manifest>,
    /// What is kept of its Secrets; what is secret in them is not.
    pub secrets: Vec<(Name, SecretFacts)>,
    /// How many documents are manifests of other kinds, those included.
    pub others: usize,
    /// How many documents are not Kubernetes objects.
    pub no_objects: usize,
    /// The documents that are not read, and may hold objects of our kinds.
    pub unread: Vec<Unread>,
    /// What is read as kubectl reads it, and should be written otherwise.
    pub warnings: Vec<String>,
}
