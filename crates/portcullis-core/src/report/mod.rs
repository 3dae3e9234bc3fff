//! Reports: findings of many objects, the status of each IngressRoute, answers of `explain`, and the catalog of checks.
//!
//! This module formats outcomes that are passed to it. It runs no check and reads no file.

pub mod answer;
pub mod catalog;
mod entry;
mod filter;
mod fingerprint;
pub mod github;
pub mod json;
pub mod junit;
pub mod permission;
pub mod sarif;
pub mod status;
mod summary;
pub mod text;

use std::collections::BTreeSet;

use crate::bundle::Bundle;
use crate::checks::Outcome;
use crate::finding::Action;
use crate::kinds::ObjectRef;

pub use entry::{ObjectFindings, Position, ReportedFinding, Source, UnreadDocument};
pub use filter::FindingFilter;
pub use summary::Totals;

/// The findings in all objects.
#[derive(Debug, Default)]
pub struct Report {
    /// The objects that were checked, with and without findings, in the order in which they were added.
    pub entries: Vec<ObjectFindings>,
    /// The number of documents that were skipped because their kind is not checked.
    pub others: usize,
    /// The number of documents that were skipped because they are not Kubernetes objects.
    pub no_objects: usize,
    /// The number of files that were skipped because they or their folders are hidden.
    pub hidden: usize,
    /// The number of files that were skipped because their names are those of templates or backups of manifests.
    pub templates: usize,
    /// The documents and objects that were not checked, or only in part.
    pub unread: Vec<UnreadDocument>,
    /// The number of kinds that were requested from a cluster, and of those that could be read.
    pub kinds: Option<(usize, usize)>,
    /// Exemptions that applied and expire soon, as positions in the configuration.
    pub expiring: BTreeSet<usize>,
    /// The assumed Gateway API bundle, if a finding depends on its channel.
    pub assumed: Option<Bundle>,
}

impl Report {
    /// Adds the outcome for an object, and returns its entry. Findings for the audit log are omitted, since the author of
    /// a write would not see them either.
    pub fn add(&mut self, source: Source, object: &ObjectRef, outcome: Outcome) -> &mut ObjectFindings {
        self.expiring.extend(&outcome.expiring);
        self.assumed = self.assumed.or(outcome.assumed);
        self.entries.push(ObjectFindings::new(source, object.clone(), outcome));
        self.entries.last_mut().expect("an entry was added")
    }

    /// The objects with findings.
    pub fn with_findings(&self) -> impl Iterator<Item = &ObjectFindings> {
        self.entries.iter().filter(|entry| !entry.is_clean())
    }

    /// Whether everything was checked.
    pub fn is_complete(&self) -> bool {
        self.unread.is_empty() && self.kinds.is_none_or(|(requested, read)| requested == read)
    }

    /// The number of findings with this action.
    pub fn count(&self, action: Action) -> usize {
        self.entries.iter().map(|entry| entry.count(action)).sum()
    }

    /// The number of objects that would be denied.
    pub fn refused(&self) -> usize {
        self.entries.iter().filter(|entry| entry.count(Action::Deny) > 0).count()
    }
}
