//! The HostClaims of the cluster, by host. Their names are their hosts.

use std::collections::BTreeMap;

use hashbrown::HashMap;
use hashbrown::hash_map::EntryRef;
use jiff::Timestamp;

use super::host_entry::Entry;
use super::host_requests::HostRequestFacts;
use crate::kinds::{HostClaim, Kind, ObjectRef};
use crate::matching::Host;
use crate::matching::claim_name::{host_of, name_of};
use crate::names::is_label;

/// The facts of a HostClaim.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostClaimFacts {
    /// The name.
    pub name: Box<str>,
    /// The namespace that owns the host.
    pub namespace: Box<str>,
    /// The host, and the namespaces that may serve it.
    pub(super) entry: Entry,
    /// Whether the name is that of the host, as the schema demands. Another claim has no effect.
    pub(super) is_consistent: bool,
    /// The creation time.
    pub created: Option<Timestamp>,
    /// Whether it is as Portcullis created it for a HostRequest of the namespace with the same name.
    pub is_granted: bool,
}

/// The label of HostClaims that Portcullis created for HostRequests, with the value `portcullis`.
pub const MANAGED_BY: &str = "app.kubernetes.io/managed-by";

impl HostClaimFacts {
    /// Returns the facts of `claim`.
    pub fn of(claim: &HostClaim<'_>) -> Self {
        let spec = &claim.spec;
        let host = Host::parse(&spec.host);
        let namespaces = std::iter::once(&spec.namespace).chain(&spec.also_served_by);
        // In a selector, other texts are patterns.
        let namespaces = namespaces.filter(|name| is_label(name)).map(|name| name.to_string()).collect();
        let unnamed = Self {
            name: Box::default(),
            namespace: (*spec.namespace).into(),
            entry: Entry::of_host(host.into_owned(), namespaces),
            is_consistent: false,
            created: claim.metadata.created(),
            is_granted: claim.metadata.labels.get(MANAGED_BY).is_some_and(|manager| &**manager == "portcullis")
                && claim.metadata.annotations.get(REQUESTED_BY).is_some_and(|namespace| **namespace == *spec.namespace)
                && spec.also_served_by.is_empty(),
        };
        unnamed.named(claim.metadata.name())
    }

    /// The facts of the HostClaim that a HostRequest asks for.
    pub fn of_request(request: &HostRequestFacts) -> Self {
        let namespace = request.object_ref.namespace.as_str();
        let unnamed = Self {
            name: Box::default(),
            namespace: namespace.into(),
            entry: Entry::of_host(request.host.clone(), vec![namespace.to_owned()]),
            is_consistent: false,
            created: None,
            is_granted: true,
        };
        unnamed.named(&request.object_ref.name)
    }

    /// The host.
    pub fn host(&self) -> Option<&Host<'static>> {
        self.entry.host()
    }

    /// Whether objects of `namespace` may serve the host.
    pub fn may_serve(&self, namespace: &str) -> bool {
        self.entry.namespaces.iter().any(|namespaces| namespaces.names.iter().any(|name| name == namespace))
    }

    /// Whether it is known to have been created before `other`.
    pub(super) fn is_older_than(&self, other: &Self) -> bool {
        self.created.zip(other.created).is_some_and(|(own, other)| own < other)
    }

    /// The same with another name.
    pub(super) fn named(self, name: &str) -> Self {
        let is_consistent = self.host().is_some_and(|host| *host == host_of(name)) && is_label(&self.namespace);
        Self { name: name.into(), is_consistent, ..self }
    }

    /// The reference to the claim.
    pub fn object_ref(&self) -> ObjectRef {
        ObjectRef::new(Kind::HostClaim, "", &self.name)
    }
}

/// The annotation of these HostClaims with the namespace of the HostRequest.
pub const REQUESTED_BY: &str = "portcullis.dev/requested-by";

/// The maximum number of characters of `spec.reason` of a HostClaim.
pub const REASON_CHARACTERS: usize = 1024;

/// The claims by name.
#[derive(Debug, Default)]
pub(super) struct HostClaims {
    all: HashMap<Box<str>, HostClaimFacts>,
    /// Their names by the host's labels in reverse order, so that the hosts that a wildcard covers are adjacent.
    under: BTreeMap<String, Box<str>>,
    /// How many each namespace owns.
    owned: HashMap<Box<str>, usize>,
}

impl HostClaims {
    pub(super) fn put(&mut self, facts: HostClaimFacts) {
        self.remove(&facts.name);
        if facts.is_consistent {
            self.under.insert(host_of(&facts.name).from_the_right(), facts.name.clone());
        }
        *self.owned.entry_ref(&*facts.namespace).or_default() += 1;
        self.all.insert(facts.name.clone(), facts);
    }

    pub(super) fn remove(&mut self, name: &str) {
        let Some(claim) = self.all.remove(name) else { return };
        if claim.is_consistent {
            self.under.remove(&host_of(name).from_the_right());
        }
        if let EntryRef::Occupied(mut owned) = self.owned.entry_ref(&*claim.namespace) {
            *owned.get_mut() -= 1;
            if *owned.get() == 0 {
                owned.remove();
            }
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&HostClaimFacts> {
        self.all.get(name)
    }

    pub(super) fn count(&self) -> usize {
        self.all.len()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.all.keys().map(|name| &**name)
    }

    /// How many a namespace owns.
    pub(super) fn count_of(&self, namespace: &str) -> usize {
        self.owned.get(namespace).copied().unwrap_or_default()
    }

    /// Those that Portcullis created for HostRequests.
    pub(super) fn granted(&self) -> impl Iterator<Item = &HostClaimFacts> {
        self.all.values().filter(|claim| claim.is_granted)
    }

    /// Whether none has an effect.
    pub(super) fn are_none(&self) -> bool {
        self.under.is_empty()
    }

    /// The claim for exactly this host.
    fn at(&self, host: &Host<'_>) -> Option<&HostClaimFacts> {
        let claim = self.all.get(&*name_of(host)?)?;
        claim.is_consistent.then_some(claim)
    }

    /// The claims for hosts that cover `host`, the widest first, and that for `host`.
    pub(super) fn over(&self, host: &Host<'_>) -> Vec<&HostClaimFacts> {
        let own = self.at(host).into_iter();
        let mut all: Vec<_> = own.chain(host.wildcards_above().filter_map(|wildcard| self.at(&wildcard))).collect();
        all.reverse();
        all
    }

    /// The claims for hosts that `host` covers at any depth, without its own.
    pub(super) fn below(&self, host: &Host<'_>) -> impl Iterator<Item = &HostClaimFacts> {
        let prefix = host.prefix_of_covered();
        let range = prefix
            .map(|prefix| self.under.range(prefix.clone()..).take_while(move |(key, _)| key.starts_with(&prefix)));
        let own = host.from_the_right();
        range.into_iter().flatten().filter(move |(key, _)| **key != own).filter_map(|(_, name)| self.all.get(name))
    }
}
