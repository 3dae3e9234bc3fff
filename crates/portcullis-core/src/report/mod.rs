//! Reports: findings of many objects, statuses and how they differ, answers of `explain`, and the catalog of checks.
//!
//! This module formats outcomes that are passed to it. It runs no check and reads no file.

pub mod answer;
pub mod answer_document;
pub mod catalog;
pub mod compare;
pub mod comparison;
pub mod denial;
mod document_parts;
mod entry;
mod filter;
mod fingerprint;
pub mod github;
pub mod json;
pub mod junit;
pub mod openreports;
mod outcome;
pub mod permission;
pub mod proposed_claims;
pub mod sarif;
pub mod status;
mod summary;
pub mod text;

use std::collections::BTreeSet;
use std::fmt::Display;

use crate::bundle::Bundle;
use crate::checks::Outcome;
use crate::finding::Action;
use crate::kinds::{Kind, KindSet, ObjectRef};

pub use entry::{ObjectFindings, Position, ReportedFinding, STDIN, Source, UnreadDocument};
pub use filter::{FindingFilter, namespace_not_found};
pub use summary::Totals;

/// The cause of a document that is a template, such as one of a chart.
pub const TEMPLATE: &str = "template that is not rendered";

/// How formats for people and for test reports group objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// In the order of the files.
    ByFile,
    /// By namespace.
    ByNamespace,
}

/// The kinds that were requested from a cluster.
#[derive(Debug, Clone, Copy)]
pub struct RequestedKinds {
    /// All of them.
    pub requested: KindSet,
    /// Those that are not readable (RBAC).
    pub unreadable: KindSet,
}

/// The findings in all objects.
#[derive(Debug, Default)]
pub struct Report {
    /// The objects that were checked, with and without findings, in the order in which they were added.
    pub entries: Vec<ObjectFindings>,
    /// The number of objects that were read only because others may refer to them.
    pub looked_up: usize,
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
    /// What was requested from a cluster; `None` without one.
    pub kinds: Option<RequestedKinds>,
    /// The namespaces that exist or hold an object that was read; `None` if they are not completely known, or do not matter.
    pub namespaces: Option<BTreeSet<String>>,
    /// The number of denials that a filter has removed.
    pub hidden_denials: usize,
    /// The number of objects that would be denied although a filter of actions hides it.
    pub hidden_refused: usize,
    /// The number of findings that make a command fail although a filter has removed them all.
    pub hidden_failures: usize,
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
        self.unread.is_empty() && self.unreadable().next().is_none()
    }

    /// Whether everything was checked that is to be checked, whatever else was not read.
    pub fn is_checked(&self) -> bool {
        self.unread.iter().all(|unread| unread.is_beside) && self.unreadable().next().is_none()
    }

    /// The kinds that are not readable (RBAC).
    fn unreadable(&self) -> impl Iterator<Item = Kind> {
        self.kinds.into_iter().flat_map(|kinds| kinds.unreadable.iter())
    }

    /// Everything that was not checked: documents, objects, and kinds of the cluster.
    fn not_checked(&self) -> Vec<UnreadDocument> {
        self.unread.iter().cloned().chain(self.unreadable().map(UnreadDocument::of_kind)).collect()
    }

    /// Notes that keep an empty result from being taken for an all-clear.
    fn notes(&self) -> Vec<String> {
        let skipped = self.others + self.no_objects + self.hidden + self.templates;
        let is_empty = self.entries.is_empty() && self.is_complete();
        let empty = is_empty.then(|| format!("0 objects were checked; {skipped} documents or files were skipped"));
        let looked_up = self.looked_up_note().filter(|_| is_empty);
        empty.into_iter().chain(looked_up).chain(self.hidden_notes()).collect()
    }

    /// The number of objects that were read only because others may refer to them, as text; `None` if there are none.
    fn looked_up_note(&self) -> Option<String> {
        match self.looked_up {
            0 => None,
            1 => Some("1 object was read only to resolve references".to_owned()),
            count => Some(format!("{count} objects were read only to resolve references")),
        }
    }

    /// What filters have removed, as text.
    fn hidden_notes(&self) -> Vec<String> {
        let denials = match self.hidden_denials {
            0 => None,
            1 => Some("1 denial is hidden by the filters".to_owned()),
            count => Some(format!("{count} denials are hidden by the filters")),
        };
        denials.into_iter().chain(self.hidden_failures_note()).collect()
    }

    /// Why a command fails although no finding is shown that makes it fail; `None` if one is.
    pub fn hidden_failures_note(&self) -> Option<String> {
        match self.hidden_failures {
            0 => None,
            1 => Some("the exit code is 1 because of 1 finding that --action hides".to_owned()),
            count => Some(format!("the exit code is 1 because of {count} findings that --action hides")),
        }
    }

    /// The number of findings with this action or a stricter one.
    pub fn count_at_least(&self, action: Action) -> usize {
        Action::ALL.into_iter().filter(|other| *other >= action).map(|other| self.count(other)).sum()
    }

    /// The number of findings with this action.
    pub fn count(&self, action: Action) -> usize {
        self.entries.iter().map(|entry| entry.count(action)).sum()
    }

    /// The number of objects that would be denied, whichever actions are shown.
    pub fn refused(&self) -> usize {
        self.hidden_refused + self.entries.iter().filter(|entry| entry.count(Action::Deny) > 0).count()
    }
}

/// The maximum number of names in a list, so that a line stays readable.
const MAX_NAMES: usize = 10;

/// The first names, and how many more there are.
pub fn first_names(names: impl Iterator<Item: Display>) -> String {
    let names: Vec<String> = names.map(|name| name.to_string()).collect();
    let (named, more) = names.split_at(names.len().min(MAX_NAMES));
    match more.len() {
        0 => named.join(", "),
        count => format!("{} and {count} more", named.join(", ")),
    }
}
