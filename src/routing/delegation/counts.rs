//! How many IngressRoutes are valid, invalid and orphaned, as the design document's metrics count them.

use std::collections::{BTreeMap, BTreeSet};

use super::verdict::{State, Verdict};
use crate::kinds::ObjectRef;

/// The sums; what is zero is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    namespaces: BTreeMap<Box<str>, Tally>,
    /// By namespace and host, which is empty where an object has none or several.
    hosts: BTreeMap<(Box<str>, Box<str>), Split>,
}

/// The objects of one namespace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// All of them.
    pub total: usize,
    /// Those with a host.
    pub roots: usize,
    /// Those to which no root delegates.
    pub orphaned: usize,
}

/// The objects of one namespace and host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Split {
    /// Those that serve.
    pub valid: usize,
    /// Those that are rejected.
    pub invalid: usize,
}

impl Counts {
    /// By namespace.
    pub fn namespaces(&self) -> impl Iterator<Item = (&str, Tally)> {
        self.namespaces.iter().map(|(namespace, tally)| (&**namespace, *tally))
    }

    /// By namespace and host, of which at most `most` are told apart, the first in order; the others count as none.
    pub fn hosts(&self, most: usize) -> BTreeMap<(&str, &str), Split> {
        let names: BTreeSet<&str> =
            self.hosts.keys().map(|(_, host)| &**host).filter(|host| !host.is_empty()).collect();
        let first_left_out = names.into_iter().nth(most);
        let mut told = BTreeMap::<_, Split>::new();
        for ((namespace, host), split) in &self.hosts {
            let host = if first_left_out.is_none_or(|first| **host < *first) { &**host } else { "" };
            let sum = told.entry((&**namespace, host)).or_default();
            sum.valid += split.valid;
            sum.invalid += split.invalid;
        }
        told
    }

    pub(super) fn add(&mut self, place: &ObjectRef, verdict: &Verdict) {
        let tally = self.namespaces.entry(place.namespace.as_str().into()).or_default();
        tally.total += 1;
        tally.roots += usize::from(verdict.is_root);
        tally.orphaned += usize::from(verdict.state == State::Orphaned);
        if verdict.state != State::Orphaned {
            let split = self.hosts.entry(key(place, verdict)).or_default();
            split.valid += usize::from(verdict.state == State::Valid);
            split.invalid += usize::from(verdict.state == State::Invalid);
        }
    }

    pub(super) fn take(&mut self, place: &ObjectRef, verdict: &Verdict) {
        if let Some(tally) = self.namespaces.get_mut(place.namespace.as_str()) {
            tally.total -= 1;
            tally.roots -= usize::from(verdict.is_root);
            tally.orphaned -= usize::from(verdict.state == State::Orphaned);
            if tally.total == 0 {
                self.namespaces.remove(place.namespace.as_str());
            }
        }
        let key = key(place, verdict);
        if let Some(split) = self.hosts.get_mut(&key).filter(|_| verdict.state != State::Orphaned) {
            split.valid -= usize::from(verdict.state == State::Valid);
            split.invalid -= usize::from(verdict.state == State::Invalid);
            if *split == Split::default() {
                self.hosts.remove(&key);
            }
        }
    }
}

fn key(place: &ObjectRef, verdict: &Verdict) -> (Box<str>, Box<str>) {
    let host = verdict.host().map(ToString::to_string).unwrap_or_default();
    (place.namespace.as_str().into(), host.into())
}
