//! Host ownership: the configuration's entries, indexed by host, the HostClaims of the cluster, and the decision whether a namespace may
//! claim a host.

mod claims;
mod effective_claims;
mod entry;
mod grants;
mod literals;

use std::collections::BTreeMap;

pub use claims::Obstacle;
use entry::own_host;
use grants::Grant;
pub use grants::{RequestDecision, releasable};
use literals::{Last, Literals};

use super::host_claims::HostClaimFacts;
use super::host_entry::{Entry, Form};
use super::host_template::TemplateOwner;
use super::{Lookup, Overlay, SyncState};
use crate::config::{ClaimMode, ConfigError, HostOwnership, NamespaceSelector, OwnedHost, Unlisted};
use crate::matching::Host;

/// The entries, compiled once for each configuration.
#[derive(Debug, Default)]
pub struct Ownership {
    entries: Vec<Entry>,
    /// Entries without placeholders.
    literals: Literals,
    /// The same entries by the host's labels in reverse order, so that the hosts a wildcard covers are adjacent.
    under: BTreeMap<String, usize>,
    templates: Vec<usize>,
    unlisted: Unlisted,
    claims: ClaimMode,
    grants: Vec<Grant>,
}

/// The decision about one claim.
#[derive(Debug, PartialEq, Eq)]
pub enum OwnershipDecision<'o> {
    /// The claimant owns the host, or no entry covers it.
    Free,
    /// The entry or the HostClaim is for other namespaces, and it either covers the host or is covered by it.
    Owned {
        /// The host of the entry or the HostClaim, as written.
        entry: &'o str,
        /// The namespaces that may claim it.
        by: &'o NamespaceSelector,
        /// Whether it is a HostClaim.
        is_claim: bool,
    },
    /// No entry covers the host, and only listed hosts may be claimed.
    Unlisted,
    /// No HostClaim covers the host, and one is required.
    Unclaimed {
        /// The host of the entry that requires it, as written; `None` if all hosts require one.
        entry: Option<&'o str>,
    },
    /// No entry covers the host, and the first namespace that serves it may claim it.
    FirstNamespace,
    /// The decision depends on labels that are not known.
    Unknown,
}

/// What decides who may claim a host.
#[derive(Debug, Clone, Copy)]
pub struct Owner<'o> {
    /// The host of the entry or the HostClaim, as written.
    pub host: &'o str,
    /// The namespaces that may claim the host.
    pub namespaces: &'o NamespaceSelector,
    /// The HostClaim; `None` for an entry of the configuration.
    pub claim: Option<&'o HostClaimFacts>,
}

impl Ownership {
    /// Compiles the entries. The errors are invalid placeholders in templates.
    pub fn new(config: &HostOwnership) -> Result<Self, Vec<ConfigError>> {
        let mut ownership = Self { unlisted: config.unlisted, claims: config.claims, ..Self::default() };
        let mut errors: Vec<ConfigError> = config.hosts.iter().filter_map(|entry| ownership.add(entry).err()).collect();
        for grant in &config.grants {
            match Grant::new(grant) {
                Ok(grant) => ownership.grants.push(grant),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(ownership) } else { Err(errors) }
    }

    fn add(&mut self, entry: &OwnedHost) -> Result<(), ConfigError> {
        let position = self.entries.len();
        let form = Form::parse(&entry.host)?;
        match &form {
            Form::Template(_) => self.templates.push(position),
            Form::Host(host) => {
                self.under.insert(host.from_the_right(), position);
                self.literals.insert(host, position);
            }
        }
        self.entries.push(Entry::of_config(entry, form));
        Ok(())
    }

    /// Whether every claim is allowed: nothing owns a host, and unlisted hosts are allowed.
    pub fn is_empty(&self, cluster: &Overlay<'_>) -> bool {
        self.entries.is_empty()
            && self.unlisted == Unlisted::Allow
            && match self.claims {
                ClaimMode::Off => true,
                ClaimMode::Optional => !cluster.has_host_claims(),
                ClaimMode::Required => false,
            }
    }

    /// Whether some claim of a host may be denied.
    pub fn restricts(&self) -> bool {
        !self.entries.is_empty() || self.unlisted != Unlisted::Allow || self.claims != ClaimMode::Off
    }

    /// Whether the first namespace that serves a host without an entry owns it.
    pub fn is_first_namespace(&self) -> bool {
        self.unlisted == Unlisted::FirstNamespace
    }

    /// Whether decisions depend on the labels of a Namespace.
    pub fn needs_labels(&self) -> bool {
        self.entries.iter().any(|entry| {
            entry.namespaces.as_ref().is_some_and(NamespaceSelector::needs_labels)
                || matches!(&entry.form, Form::Template(template) if template.needs_labels())
        })
    }

    /// Decides a claim of `host` from `namespace`. The most specific entry that covers the host decides. A claim of
    /// many hosts must also not cover a host that is owned by another namespace.
    pub fn claim<'o>(&'o self, host: &Host<'_>, namespace: &str, cluster: &Overlay<'o>) -> OwnershipDecision<'o> {
        self.decide(host, namespace, cluster, &mut Last::default())
    }

    /// Decides the claims of `hosts` from `namespace`. Adjacent hosts of the same domain share the search.
    pub fn claims<'o, 'h>(
        &'o self,
        hosts: impl Iterator<Item = &'h Host<'h>>,
        namespace: &str,
        cluster: &Overlay<'o>,
    ) -> impl Iterator<Item = OwnershipDecision<'o>> {
        let mut last = Last::default();
        hosts.map(move |host| self.decide(host, namespace, cluster, &mut last))
    }

    fn decide<'o, 'h>(
        &'o self,
        host: &'h Host<'_>,
        namespace: &str,
        cluster: &Overlay<'o>,
        last: &mut Last<'o, 'h>,
    ) -> OwnershipDecision<'o> {
        let listed = self.deciding(host, last);
        let mode = self.mode(listed);
        let deciding = match self.holding(host, listed, cluster) {
            Lookup::Found(deciding) => Some(deciding),
            Lookup::Absent => None,
            Lookup::Unknown => return OwnershipDecision::Unknown,
        };
        if let Some((entry, by)) = deciding {
            match last.admits(entry, host, namespace, cluster) {
                Some(true) if matches!(host, Host::Precise(_)) || entry.is_just(host) => {
                    return OwnershipDecision::Free;
                }
                Some(true) => {}
                Some(false) => return entry.owned(by),
                None => return OwnershipDecision::Unknown,
            }
        }
        match self.covered(host, namespace, cluster) {
            OwnershipDecision::Free if deciding.is_none() => self.unowned(mode, listed, cluster),
            answer => answer,
        }
    }

    /// The decision about a host that no entry and no known HostClaim gives to namespaces. Without the kind, no namespace can have a
    /// HostClaim, so none is required.
    fn unowned<'o>(&self, mode: ClaimMode, listed: Option<&'o Entry>, cluster: &Overlay<'_>) -> OwnershipDecision<'o> {
        let by_config = match self.unlisted {
            Unlisted::Allow => OwnershipDecision::Free,
            Unlisted::Deny => OwnershipDecision::Unlisted,
            Unlisted::FirstNamespace => OwnershipDecision::FirstNamespace,
        };
        if mode == ClaimMode::Off {
            return by_config;
        }
        match (mode, cluster.knowledge_of_host_claims()) {
            (ClaimMode::Required, SyncState::Complete) => {
                let requiring = listed.filter(|entry| entry.claims.is_some());
                OwnershipDecision::Unclaimed { entry: requiring.map(|entry| &*entry.written) }
            }
            (_, SyncState::Complete | SyncState::NotServed) => by_config,
            _ => OwnershipDecision::Unknown,
        }
    }

    /// The namespaces to which the entry for `entry`, which has placeholders, gives `host`; `None` if the host does not say
    /// which ones.
    pub fn owner_of(&self, entry: &str, host: &Host<'_>) -> Option<TemplateOwner> {
        let entry = self.entries.iter().find(|own| own.written == entry)?;
        match &entry.form {
            Form::Template(template) => template.owner_of(host),
            Form::Host(_) => None,
        }
    }

    /// The host that the entry for `entry`, which has placeholders, gives to `namespace`. `None` if it gives none, or if
    /// labels are not known.
    pub fn host_for(&self, entry: &str, namespace: &str, cluster: &Overlay<'_>) -> Option<Host<'static>> {
        let entry = self.entries.iter().find(|own| own.written == entry)?;
        match &entry.form {
            Form::Template(template) if entry.selects(namespace, cluster) == Some(true) => {
                own_host(template, namespace, cluster).flatten()
            }
            _ => None,
        }
    }

    /// The most specific entry that covers `host`: a precise one, then the wildcard with the most labels. A literal
    /// host precedes a template.
    fn deciding<'o, 'h>(&'o self, host: &'h Host<'_>, last: &mut Last<'o, 'h>) -> Option<&'o Entry> {
        let literal = self.literals.deciding(host, last);
        let literal = literal.map(|position| &self.entries[position]);
        if self.templates.is_empty() {
            return literal;
        }
        let templates = self.templates.iter().map(|position| &self.entries[*position]);
        let covering = templates.filter(|entry| entry.could_cover(host));
        covering.chain(literal).max_by_key(|entry| entry.rank())
    }

    /// Whether the hosts of an entry, as far as no narrower one covers them, belong to `namespace`.
    fn has_claim(&self, entry: &Entry, namespace: &str, cluster: &Overlay<'_>) -> bool {
        let Some(host) = entry.host() else { return false };
        let holding = self.holding(host, Some(entry), cluster).found();
        holding.is_some_and(|(owner, _)| owner.admits(host, namespace, cluster) == Some(true))
    }

    /// Whether a claim of many hosts covers a host that another namespace owns.
    fn covered<'o>(&'o self, host: &Host<'_>, namespace: &str, cluster: &Overlay<'o>) -> OwnershipDecision<'o> {
        let Some(prefix) = host.prefix_of_covered() else { return OwnershipDecision::Free };
        let literal = self.under.range(prefix.clone()..).take_while(|(key, _)| key.starts_with(&prefix));
        let literal = literal.map(|(_, position)| *position);
        let templates = self.templates.iter().copied().filter(|position| self.entries[*position].could_be_under(host));
        let mut unknown = false;
        let listed = literal.chain(templates).map(|position| &self.entries[position]);
        let has_claims = self.needs_claims() && cluster.has_host_claims();
        let below = has_claims.then(|| cluster.host_claims_below(host)).into_iter().flatten();
        let is_of_others = |claim: &&HostClaimFacts| {
            claim.entry.selects(namespace, cluster) != Some(true) && self.is_effective(claim, cluster)
        };
        for entry in listed.chain(below.filter(is_of_others).map(|claim| &claim.entry)) {
            let Some(by) = &entry.namespaces else {
                if entry.claims == Some(ClaimMode::Required) && !self.has_claim(entry, namespace, cluster) {
                    match cluster.knowledge_of_host_claims() {
                        SyncState::Complete => {
                            return OwnershipDecision::Unclaimed { entry: Some(&entry.written) };
                        }
                        SyncState::NotServed => {}
                        _ => unknown = true,
                    }
                }
                continue;
            };
            match entry.is_all_for(host, namespace, cluster) {
                Some(true) => {}
                Some(false) => return entry.owned(by),
                None => unknown = true,
            }
        }
        if unknown { OwnershipDecision::Unknown } else { OwnershipDecision::Free }
    }
}
