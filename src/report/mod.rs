//! Findings over many objects: in order, counted, and as a text; what becomes of each; and who answers a request.
//!
//! In come judgements, out comes a [`Report`]; it runs no check and reads no file.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod answer;
pub mod status;
pub mod text;

use std::collections::BTreeSet;

use crate::checks::{Judged, Judgement};
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
    pub findings: Vec<Judged>,
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
    /// Exemptions that were used and end soon: positions in the configuration.
    pub ending: BTreeSet<usize>,
}

impl Report {
    /// Adds what the checks said of an object. Findings for the audit log alone are left out: nobody would see them at a write either.
    pub fn add(&mut self, source: &str, object: &ObjectRef, judgement: Judgement) {
        self.judged += 1;
        self.ending.extend(&judgement.ending);
        let mut findings = judgement.findings;
        findings.retain(|judged| judged.action > Action::Audit);
        if !findings.is_empty() {
            self.entries.push(Entry { source: source.to_owned(), object: object.clone(), findings });
        }
    }

    /// How many findings have this action.
    pub fn count(&self, action: Action) -> usize {
        self.entries.iter().flat_map(|entry| &entry.findings).filter(|judged| judged.action == action).count()
    }

    /// How many objects would be refused.
    pub fn refused(&self) -> usize {
        let refused = |entry: &&Entry| entry.findings.iter().any(|judged| judged.action == Action::Deny);
        self.entries.iter().filter(refused).count()
    }
}
