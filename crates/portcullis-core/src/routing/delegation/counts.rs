//! The numbers of valid, invalid and orphaned IngressRoutes, as the metrics of the design document define them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::HashMap;
use hashbrown::hash_map::EntryRef;

use super::verdict::{DelegationState, GraphStatus};
use crate::kinds::ObjectRef;
use crate::matching::Host;

/// The sums. Entries that are zero are removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    namespaces: HashMap<Box<str>, Namespace>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Namespace {
    counts: NamespaceCounts,
    /// By host. The key is empty for objects without a host or with several hosts.
    hosts: HashMap<Box<str>, HostCounts>,
}

/// The numbers of objects in one namespace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NamespaceCounts {
    /// All objects.
    pub total: usize,
    /// Objects with a host.
    pub roots: usize,
    /// Objects to which no root delegates.
    pub orphaned: usize,
}

/// The numbers of objects with one namespace and host.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HostCounts {
    /// Objects that serve traffic.
    pub valid: usize,
    /// Objects that are rejected.
    pub invalid: usize,
}

impl Counts {
    /// The numbers by namespace, unordered.
    pub fn namespaces(&self) -> impl Iterator<Item = (&str, NamespaceCounts)> {
        self.namespaces.iter().map(|(name, namespace)| (&**name, namespace.counts))
    }

    /// The numbers by namespace and host. Only the first `most` hosts in order are listed separately; the others are
    /// added under the empty host.
    pub fn hosts(&self, max_hosts: usize) -> BTreeMap<(&str, &str), HostCounts> {
        let all = || {
            let namespaces = self.namespaces.iter();
            namespaces
                .flat_map(|(name, namespace)| namespace.hosts.iter().map(|(host, counts)| (&**name, &**host, counts)))
        };
        let names: BTreeSet<&str> = all().map(|(_, host, _)| host).filter(|host| !host.is_empty()).collect();
        let first_unnamed = names.into_iter().nth(max_hosts);
        let mut by_host = BTreeMap::<_, HostCounts>::new();
        for (namespace, host, counts) in all() {
            let host = if first_unnamed.is_none_or(|first| *host < *first) { host } else { "" };
            let sum = by_host.entry((namespace, host)).or_default();
            sum.valid += counts.valid;
            sum.invalid += counts.invalid;
        }
        by_host
    }

    /// Adds an object with this status.
    pub(super) fn add(&mut self, object_ref: &ObjectRef, status: &GraphStatus) {
        let Namespace { counts, hosts } = self.namespaces.entry_ref(object_ref.namespace.as_str()).or_default();
        counts.total += 1;
        counts.roots += usize::from(status.is_root);
        counts.orphaned += usize::from(status.state == DelegationState::Orphaned);
        if status.state != DelegationState::Orphaned {
            let of_host = hosts.entry_ref(&*host_of(status)).or_default();
            of_host.valid += usize::from(status.state == DelegationState::Valid);
            of_host.invalid += usize::from(status.state == DelegationState::Invalid);
        }
    }

    /// Counts an object under its new verdict. Most changes of a verdict do not change the sums.
    pub(super) fn change(&mut self, object_ref: &ObjectRef, before: &GraphStatus, after: &GraphStatus) {
        if (before.state, before.is_root, before.host()) != (after.state, after.is_root, after.host()) {
            self.remove(object_ref, before);
            self.add(object_ref, after);
        }
    }

    /// Subtracts an object that was added with this status.
    pub(super) fn remove(&mut self, object_ref: &ObjectRef, status: &GraphStatus) {
        let EntryRef::Occupied(mut namespace) = self.namespaces.entry_ref(object_ref.namespace.as_str()) else {
            return;
        };
        let Namespace { counts, hosts } = namespace.get_mut();
        counts.total -= 1;
        counts.roots -= usize::from(status.is_root);
        counts.orphaned -= usize::from(status.state == DelegationState::Orphaned);
        if status.state != DelegationState::Orphaned
            && let EntryRef::Occupied(mut of_host) = hosts.entry_ref(&*host_of(status))
        {
            of_host.get_mut().valid -= usize::from(status.state == DelegationState::Valid);
            of_host.get_mut().invalid -= usize::from(status.state == DelegationState::Invalid);
            if *of_host.get() == HostCounts::default() {
                of_host.remove();
            }
        }
        if counts.total == 0 {
            namespace.remove();
        }
    }
}

/// The key of an object's host, empty where it has none or several.
fn host_of(status: &GraphStatus) -> Cow<'_, str> {
    status.host().map(Host::text).unwrap_or_default()
}
