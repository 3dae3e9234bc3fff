//! Reports: findings of many objects, the status of each IngressRoute, answers of `explain`, and the catalog of checks.
//!
//! This module formats outcomes that are passed to it. It runs no check and reads no file.

pub mod answer;
pub mod catalog;
pub mod status;
pub mod text;

use std::collections::{BTreeMap, BTreeSet};

use crate::bundle::Bundle;
use crate::checks::{EvaluatedFinding, OmittedFindings, Outcome};
use crate::finding::Action;
use crate::kinds::ObjectRef;

/// The findings in one object.
#[derive(Debug)]
pub struct ObjectFindings {
    /// The file that contains the object; empty for an object of a cluster.
    pub source: String,
    /// The reference to the object.
    pub object: ObjectRef,
    /// Its warnings and denials, by address, then id.
    pub findings: Vec<EvaluatedFinding>,
    /// Counts of the findings beyond the limit of a check.
    pub omitted_findings: Vec<OmittedFindings>,
}

impl ObjectFindings {
    /// The number of findings with this action.
    pub fn count(&self, action: Action) -> usize {
        let kept = self.findings.iter().filter(|evaluated| evaluated.action == action).count();
        let omitted_findings =
            self.omitted_findings.iter().filter(|omitted_findings| omitted_findings.action == action);
        kept + omitted_findings.map(|omitted_findings| omitted_findings.count).sum::<usize>()
    }
}

/// The findings in all objects.
#[derive(Debug, Default)]
pub struct Report {
    /// The objects with findings, in the order in which they were added.
    pub entries: Vec<ObjectFindings>,
    /// The number of objects that were checked.
    pub evaluated: usize,
    /// The number of documents that were skipped because their kind is not checked.
    pub others: usize,
    /// The number of documents that were skipped because they are not Kubernetes objects.
    pub no_objects: usize,
    /// The number of files that were skipped because they or their folders are hidden.
    pub hidden: usize,
    /// The number of files that were skipped because their names are those of templates or backups of manifests.
    pub templates: usize,
    /// The number of documents that were not checked, by cause and source.
    pub unread: BTreeMap<&'static str, BTreeMap<String, usize>>,
    /// The number of these documents that have findings nevertheless, because a part of them was checked.
    pub partly: usize,
    /// The number of kinds that were requested from a cluster, and of those that could be read.
    pub kinds: Option<(usize, usize)>,
    /// Exemptions that applied and expire soon, as positions in the configuration.
    pub expiring: BTreeSet<usize>,
    /// The assumed Gateway API bundle, if a finding depends on its channel.
    pub assumed: Option<Bundle>,
}

impl Report {
    /// Adds the outcome for an object. Findings for the audit log are omitted, since the author of a write would not
    /// see them either.
    pub fn add(&mut self, source: &str, object: &ObjectRef, judgement: Outcome) {
        self.evaluated += 1;
        self.expiring.extend(&judgement.expiring);
        self.assumed = self.assumed.or(judgement.assumed);
        let Outcome { mut findings, mut omitted_findings, .. } = judgement;
        findings.retain(|evaluated| evaluated.action > Action::Audit);
        omitted_findings.retain(|omitted_findings| omitted_findings.action > Action::Audit);
        if !(findings.is_empty() && omitted_findings.is_empty()) {
            self.entries.push(ObjectFindings {
                source: source.to_owned(),
                object: object.clone(),
                findings,
                omitted_findings,
            });
        }
    }

    /// Counts a document of `source` that could not be checked; `source` is empty for an object of a cluster. If
    /// `object` already has findings, it was checked in part.
    pub fn add_unread(&mut self, cause: &'static str, source: &str, object: Option<&ObjectRef>) {
        let has_findings = |object: &ObjectRef| self.entries.iter().any(|entry| entry.object == *object);
        self.partly += usize::from(object.is_some_and(has_findings));
        *self.unread.entry(cause).or_default().entry(source.to_owned()).or_default() += 1;
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
