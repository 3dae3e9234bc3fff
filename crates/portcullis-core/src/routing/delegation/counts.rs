//! How many IngressRoutes are valid, invalid and orphaned, as the design document's metrics count them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use hashbrown::hash_map::EntryRef;

use super::verdict::{DelegationState, GraphStatus};
use crate::kinds::ObjectRef;
use crate::matching::Host;

/// The sums; what is zero is not there.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    namespaces: HashMap<Box<str>, Namespace>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Namespace {
    tally: NamespaceCounts,
    /// By host, which is empty where an object has none or several.
    hosts: HashMap<Box<str>, HostCounts>,
}

/// The objects of one namespace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NamespaceCounts {
    /// All of them.
    pub total: usize,
    /// Those with a host.
    pub roots: usize,
    /// Those to which no root delegates.
    pub orphaned: usize,
}

/// The objects of one namespace and host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostCounts {
    /// Those that serve.
    pub valid: usize,
    /// Those that are rejected.
    pub invalid: usize,
}

impl Counts {
    /// By namespace, in no order.
    pub fn namespaces(&self) -> impl Iterator<Item = (&str, NamespaceCounts)> {
        self.namespaces.iter().map(|(name, namespace)| (&**name, namespace.tally))
    }

    /// By namespace and host, of which at most `most` are told apart, the first in order; the others count as none.
    pub fn hosts(&self, most: usize) -> BTreeMap<(&str, &str), HostCounts> {
        let all = || {
            let namespaces = self.namespaces.iter();
            namespaces
                .flat_map(|(name, namespace)| namespace.hosts.iter().map(|(host, split)| (&**name, &**host, split)))
        };
        let names: BTreeSet<&str> = all().map(|(_, host, _)| host).filter(|host| !host.is_empty()).collect();
        let first_left_out = names.into_iter().nth(most);
        let mut told = BTreeMap::<_, HostCounts>::new();
        for (namespace, host, split) in all() {
            let host = if first_left_out.is_none_or(|first| *host < *first) { host } else { "" };
            let sum = told.entry((namespace, host)).or_default();
            sum.valid += split.valid;
            sum.invalid += split.invalid;
        }
        told
    }

    pub(super) fn add(&mut self, object_ref: &ObjectRef, verdict: &GraphStatus) {
        let Namespace { tally, hosts } = self.namespaces.entry_ref(object_ref.namespace.as_str()).or_default();
        tally.total += 1;
        tally.roots += usize::from(verdict.is_root);
        tally.orphaned += usize::from(verdict.state == DelegationState::Orphaned);
        if verdict.state != DelegationState::Orphaned {
            let split = hosts.entry_ref(&*host_of(verdict)).or_default();
            split.valid += usize::from(verdict.state == DelegationState::Valid);
            split.invalid += usize::from(verdict.state == DelegationState::Invalid);
        }
    }

    /// Counts an object by another verdict than before; most changes of a verdict leave the sums as they are.
    pub(super) fn change(&mut self, object_ref: &ObjectRef, before: &GraphStatus, after: &GraphStatus) {
        if (before.state, before.is_root, before.host()) != (after.state, after.is_root, after.host()) {
            self.take(object_ref, before);
            self.add(object_ref, after);
        }
    }

    pub(super) fn take(&mut self, object_ref: &ObjectRef, verdict: &GraphStatus) {
        let EntryRef::Occupied(mut namespace) = self.namespaces.entry_ref(object_ref.namespace.as_str()) else {
            return;
        };
        let Namespace { tally, hosts } = namespace.get_mut();
        tally.total -= 1;
        tally.roots -= usize::from(verdict.is_root);
        tally.orphaned -= usize::from(verdict.state == DelegationState::Orphaned);
        if verdict.state != DelegationState::Orphaned
            && let EntryRef::Occupied(mut split) = hosts.entry_ref(&*host_of(verdict))
        {
            split.get_mut().valid -= usize::from(verdict.state == DelegationState::Valid);
            split.get_mut().invalid -= usize::from(verdict.state == DelegationState::Invalid);
            if *split.get() == HostCounts::default() {
                split.remove();
            }
        }
        if tally.total == 0 {
            namespace.remove();
        }
    }
}

fn host_of(verdict: &GraphStatus) -> Cow<'_, str> {
    verdict.host().map(Host::text).unwrap_or_default()
}
