//! The content of one file of manifests.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::creators::Created;
use super::manifest::Manifest;
use super::unread::Unread;
use portcullis_core::bundle::InstalledSchema;
use portcullis_core::cluster::{ConfigMapFacts, Name, SecretFacts};
use portcullis_core::compare::UnevaluatedObject;
use portcullis_core::kinds::Kind;

/// The content of one file of manifests.
#[derive(Debug, Default)]
pub struct FileContents {
    /// The objects of the supported kinds.
    pub manifests: Vec<Manifest>,
    /// The facts about each Secret in the file, without its secret data.
    pub secrets: Vec<(Name, SecretFacts)>,
    /// The facts about each ConfigMap in the file.
    pub config_maps: Vec<(Name, ConfigMapFacts)>,
    /// The schema that each CRD of the Gateway API in the file installs.
    pub schemas: Vec<(Kind, InstalledSchema)>,
    /// What controllers create from objects in the file.
    pub created: Vec<Created>,
    /// The objects of other kinds that may change answers.
    pub unevaluated: Vec<UnevaluatedObject>,
    /// The number of documents with objects of other kinds, without the Secrets above.
    pub others: usize,
    /// The number of documents that are not Kubernetes objects.
    pub no_objects: usize,
    /// The documents that are not read although they may contain objects of the supported kinds.
    pub unread: Vec<Unread>,
    /// The kustomizations upon which the one is built that has this content.
    pub bases: BTreeSet<PathBuf>,
    /// Warnings about documents that are read as kubectl reads them, but that other tools may read differently.
    pub warnings: Vec<String>,
}

impl FileContents {
    /// Whether the file contains no manifest, of whatever kind.
    pub(super) fn is_empty(&self) -> bool {
        let Self { manifests, secrets, others, unread, .. } = self;
        manifests.is_empty() && secrets.is_empty() && *others == 0 && unread.is_empty()
    }
}
