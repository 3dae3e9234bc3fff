//! Findings over many objects: in order, counted, and as a text; what becomes of each; who answers a request; and the catalog of checks.
//!
//! In come judgements, out comes a [`Report`]; it runs no check and reads no file.

pub mod answer;
pub mod catalog;
pub mod status;
pub mod text;

use std::collections::{BTreeMap, BTreeSet};

use crate::bundle::Bundle;
use crate::checks::{EvaluatedFinding, OmittedFindings, Outcome};
use crate::finding::Action;
use crate::kinds::ObjectRef;

/// What was found in one object.
#[derive(Debug)]
pub struct Entry {
    /// Where the object stands: a file, or nothing for one of a cluster.
    pub source: String,
    /// The object.
    pub object: ObjectRef,
    /// Its findings that somebody should read, by address, then id.
    pub findings: Vec<EvaluatedFinding>,
    /// Findings beyond those that are kept of a check.
    pub omitted_findings: Vec<OmittedFindings>,
}

impl Entry {
    /// How many findings have this action.
    pub fn count(&self, action: Action) -> usize {
        let kept = self.findings.iter().filter(|judged| judged.action == action).count();
        let omitted_findings =
            self.omitted_findings.iter().filter(|omitted_findings| omitted_findings.action == action);
        kept + omitted_findings.map(|omitted_findings| omitted_findings.count).sum::<usize>()
    }
}

/// What was found in all of them.
#[derive(Debug, Default)]
pub struct Report {
    /// The objects with findings, in the order in which they were added.
    pub entries: Vec<Entry>,
    /// How many objects were judged.
    pub judged: usize,
    /// How many documents were passed over, since their kinds are not ours.
    pub others: usize,
    /// How many documents were passed over, since they are not Kubernetes objects.
    pub no_objects: usize,
    /// How many files were passed over, since they or their folders are hidden.
    pub hidden: usize,
    /// How many files were passed over, since their names are those of manifests but for their ends.
    pub templates: usize,
    /// What was not judged: how many documents, by cause and source.
    pub unread: BTreeMap<&'static str, BTreeMap<String, usize>>,
    /// How many of these have findings all the same.
    pub partly: usize,
    /// The kinds that a cluster was asked for, and those of them that could be read.
    pub kinds: Option<(usize, usize)>,
    /// Exemptions that were used and end soon: positions in the configuration.
    pub expiring: BTreeSet<usize>,
    /// The Gateway API bundle that is assumed, if a finding hangs on its channel.
    pub assumed: Option<Bundle>,
}

impl Report {
    /// Adds what the checks said of an object. Findings for the audit log alone are left out: nobody would see them at a write either.
    pub fn add(&mut self, source: &str, object: &ObjectRef, judgement: Outcome) {
        self.judged += 1;
        self.expiring.extend(&judgement.expiring);
        self.assumed = self.assumed.or(judgement.assumed);
        let Outcome { mut findings, mut omitted_findings, .. } = judgement;
        findings.retain(|judged| judged.action > Action::Audit);
        omitted_findings.retain(|omitted_findings| omitted_findings.action > Action::Audit);
        if !(findings.is_empty() && omitted_findings.is_empty()) {
            self.entries.push(Entry { source: source.to_owned(), object: object.clone(), findings, omitted_findings });
        }
    }

    /// Notes a document of `source` that is not judged; without a source an object of a cluster. Of an `object` with findings a part was
    /// judged.
    pub fn add_unread(&mut self, cause: &'static str, source: &str, object: Option<&ObjectRef>) {
        let has_findings = |object: &ObjectRef| self.entries.iter().any(|entry| entry.object == *object);
        self.partly += usize::from(object.is_some_and(has_findings));
        *self.unread.entry(cause).or_default().entry(source.to_owned()).or_default() += 1;
    }

    /// Whether everything that there is was judged.
    pub fn is_complete(&self) -> bool {
        self.unread.is_empty() && self.kinds.is_none_or(|(asked, read)| asked == read)
    }

    /// How many findings have this action.
    pub fn count(&self, action: Action) -> usize {
        self.entries.iter().map(|entry| entry.count(action)).sum()
    }

    /// How many objects would be denied.
    pub fn refused(&self) -> usize {
        self.entries.iter().filter(|entry| entry.count(Action::Deny) > 0).count()
    }
}
