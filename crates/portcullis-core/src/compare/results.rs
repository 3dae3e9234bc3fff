//! The results of a comparison.

use std::collections::BTreeSet;

use super::change::{Change, ChangeKind, Verdict};
use super::changes;
use super::hosts::HostClass;
use crate::explain::{Explanation, Request};

/// The result for one class of hosts.
#[derive(Debug)]
pub struct HostResult {
    /// The class.
    pub host: HostClass,
    /// Whether no change concerns it, so that its requests are the same and are not compared one by one.
    pub is_unchanged: bool,
    /// An example of each region that gets the same answers.
    pub same: Examples,
    /// What differs, or may do so; one for each pair of rules and kind of change.
    pub differences: Vec<Difference>,
    /// What one side asks for and the other does not express, and what changes no reply, each as text.
    pub not_expressed: BTreeSet<String>,
    /// Other spellings of a path that may get other answers.
    pub spellings: Vec<Spelling>,
    /// Why its requests are not compared, if so.
    pub not_compared: Vec<String>,
}

/// A path that is not canonical and may get other answers than before, since each proxy normalizes paths in its own way.
#[derive(Debug)]
pub struct Spelling {
    /// What the path has that a canonical one has not.
    pub what: &'static str,
    /// The path.
    pub path: String,
    /// How the answers differ if the proxy does not normalize it, as text.
    pub reasons: String,
}

/// What results keep beside what every report needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Kept {
    /// One request for each region, also of hosts that no change concerns. Otherwise, only those of differences that a report names.
    pub requests: bool,
    /// The chains of the answers.
    pub chains: bool,
}

impl Kept {
    /// Everything.
    pub const ALL: Self = Self { requests: true, chains: true };
}

/// The maximum number of requests that are named beside an example.
const MAX_OTHERS: usize = 3;

/// Requests that are alike: an example of each region, or their number and some of them.
#[derive(Debug, Clone, Default)]
pub struct Examples {
    kept: Vec<Request>,
    dropped: usize,
}

impl From<Vec<Request>> for Examples {
    fn from(kept: Vec<Request>) -> Self {
        Self { kept, dropped: 0 }
    }
}

impl Examples {
    /// Those that are kept.
    pub fn kept(&self) -> &[Request] {
        &self.kept
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.kept.len() + self.dropped
    }

    /// The first and some with other paths, which a report names.
    pub fn named(&self) -> impl Iterator<Item = &Request> {
        let mut paths = BTreeSet::new();
        self.kept.iter().filter(move |request| paths.insert(&request.path)).take(1 + MAX_OTHERS)
    }

    pub(super) fn extend(&mut self, more: Self) {
        self.kept.extend(more.kept);
        self.dropped += more.dropped;
    }

    /// Drops those that no report names.
    fn keep_named(&mut self) {
        let named: Vec<Request> = self.named().cloned().collect();
        self.dropped += self.kept.len() - named.len();
        self.kept = named;
    }
}

/// Requests that get other answers, or may do so.
#[derive(Debug)]
pub struct Difference {
    /// An example of each region that is alike; at least one.
    pub requests: Examples,
    /// The answer before.
    pub before: Explanation,
    /// The answer after.
    pub after: Explanation,
    /// How they differ.
    pub verdict: Verdict,
    /// Why that is accepted, if it is.
    pub accepted: Option<String>,
}

impl Difference {
    /// Whether something that protects is lost.
    fn loses_protection(&self) -> bool {
        let is_protection = |change: &Change| change.kind == ChangeKind::Protection;
        matches!(&self.verdict, Verdict::Different(changes) if changes.iter().any(is_protection))
    }

    /// Adds a change to what differs.
    pub(super) fn add(&mut self, change: Change) {
        if let Verdict::Different(changes) = &mut self.verdict {
            changes.push(change);
        }
    }

    /// Whether something differs, and nothing that protects is lost.
    pub(super) fn is_about_rules(&self) -> bool {
        matches!(self.verdict, Verdict::Different(_)) && !self.loses_protection()
    }

    /// Whether something differs, or may do so.
    pub(super) fn is_found(&self) -> bool {
        self.verdict != Verdict::Same
    }

    /// Whether one side computes something from the path or the query.
    pub(super) fn is_computed(&self) -> bool {
        changes::is_computed(&self.before) || changes::is_computed(&self.after)
    }

    /// Whether one side asks for a password.
    pub(super) fn asks_for_password(&self) -> bool {
        changes::asks_for_password(&self.before) || changes::asks_for_password(&self.after)
    }

    /// Leaves what differs in other ways than in `known`, which is about the same rules, and what is not known for other reasons.
    pub(super) fn remove_kinds_of(&mut self, known: &Self) {
        match (&mut self.verdict, &known.verdict) {
            (_, Verdict::Same) | (Verdict::Same, _) => {}
            (Verdict::Different(changes), Verdict::Different(known)) => {
                changes.retain(|change| match change.kind {
                    ChangeKind::Unknown => known.iter().all(|known| known.text != change.text),
                    kind => known.iter().all(|known| known.kind != kind),
                });
                if changes.is_empty() {
                    self.verdict = Verdict::Same;
                }
            }
            (Verdict::Different(_), Verdict::Unknown(_)) => {}
            (Verdict::Unknown(why), Verdict::Different(_) | Verdict::Unknown(_)) => {
                let named = known.reasons();
                why.retain(|why| !named.contains(&format!("not known: {why}")));
                if why.is_empty() {
                    self.verdict = Verdict::Same;
                }
            }
        }
    }

    /// What differs, each as text; or why that is not known.
    pub fn reasons(&self) -> Vec<String> {
        match &self.verdict {
            Verdict::Different(changes) => changes.iter().map(|change| change.text.clone()).collect(),
            Verdict::Unknown(why) => why.iter().map(|why| format!("not known: {why}")).collect(),
            Verdict::Same => Vec::new(),
        }
    }

    /// One of the requests.
    pub fn example(&self) -> &Request {
        &self.requests.kept[0]
    }
}

/// The verdict about all requests, or those for a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Overall {
    /// No answer differs.
    Same,
    /// Whether some do is not known.
    Unknown,
    /// Some do.
    Different,
}

impl HostResult {
    /// The result for a host that no change concerns, with an example of each of its regions or with none.
    pub(super) fn unchanged(host: HostClass, same: Vec<Request>) -> Self {
        let (differences, not_expressed, spellings, not_compared) = Default::default();
        let (is_unchanged, same) = (true, Examples::from(same));
        Self { host, is_unchanged, same, differences, not_expressed, spellings, not_compared }
    }

    /// Drops what is not to be kept.
    pub(super) fn keep(&mut self, kept: Kept) {
        if !kept.requests {
            self.same = Examples { kept: Vec::new(), dropped: self.same.count() };
            self.differences.iter_mut().for_each(|difference| difference.requests.keep_named());
        }
        if !kept.chains {
            let answers = self.differences.iter_mut().flat_map(|own| [&mut own.before, &mut own.after]);
            answers.filter_map(|answer| answer.winner.as_mut()).for_each(|(_, winner)| winner.chain = Vec::new());
        }
    }

    /// Whether something that protects is lost.
    pub(super) fn loses_protection(&self) -> bool {
        self.differences.iter().any(Difference::loses_protection)
    }

    /// The number of kinds of requests that are answered differently, of which that is not known, and that are answered alike or accepted,
    /// if they were compared.
    pub fn counts(&self) -> [usize; 3] {
        let mut counts = [0, 0, if self.is_unchanged { 0 } else { self.same.count() }];
        for difference in &self.differences {
            let index = match &difference.verdict {
                _ if difference.accepted.is_some() => 2,
                Verdict::Different(_) => 0,
                Verdict::Unknown(_) => 1,
                Verdict::Same => 2,
            };
            counts[index] += difference.requests.count();
        }
        counts
    }

    /// The verdict about the requests.
    pub fn overall(&self) -> Overall {
        match self.counts() {
            [0, 0, _] if self.not_compared.is_empty() => Overall::Same,
            [0, ..] => Overall::Unknown,
            _ => Overall::Different,
        }
    }
}
