//! HostClaims as entries: which of them have an effect, and which entry decides about a host.

use super::super::host_claims::HostClaimFacts;
use super::super::{Lookup, Overlay, SyncState};
use super::entry::{Entry, Form, Holders};
use super::literals::Last;
use super::{Owner, Ownership};
use crate::config::{ClaimMode, NamespaceSelector};
use crate::matching::Host;

impl Ownership {
    /// Whether decisions depend on HostClaims.
    pub fn needs_claims(&self) -> bool {
        self.claims != ClaimMode::Off
            || self.entries.iter().any(|entry| matches!(entry.holders, Holders::Claims(mode) if mode != ClaimMode::Off))
    }

    /// Whether `host` is known to have no HostClaim, and may not be claimed without one.
    pub fn requires_claim(&self, host: &Host<'_>, cluster: &Overlay<'_>) -> bool {
        let listed = self.deciding(host, &mut Last::default());
        self.mode(listed) == ClaimMode::Required
            && self.holding(host, listed, cluster) == Lookup::Absent
            && cluster.knowledge_of_host_claims() == SyncState::Complete
    }

    /// What decides who may claim `host`; `None` if no entry and no HostClaim covers it, or if that is not known.
    pub fn owner<'o>(&'o self, host: &Host<'_>, cluster: &Overlay<'o>) -> Option<Owner<'o>> {
        let listed = self.deciding(host, &mut Last::default());
        let (entry, namespaces) = self.holding(host, listed, cluster).found()?;
        let claim = self.claim_over(host, listed, cluster).found();
        let claim = claim.filter(|claim| std::ptr::eq(&claim.entry, entry));
        Some(Owner { host: &entry.written, namespaces, claim })
    }

    /// What HostClaims mean for hosts of which `listed` is the most specific entry.
    pub(super) fn mode(&self, listed: Option<&Entry>) -> ClaimMode {
        match listed.map(|entry| &entry.holders) {
            Some(Holders::Claims(mode)) => *mode,
            Some(Holders::Namespaces(_)) if self.claims != ClaimMode::Off => ClaimMode::Optional,
            Some(Holders::Namespaces(_)) | None => self.claims,
        }
    }

    /// The entry that gives `host` to namespaces, and these: that of a HostClaim, or `listed`, the most specific one of the configuration.
    pub(super) fn holding<'o>(
        &'o self,
        host: &Host<'_>,
        listed: Option<&'o Entry>,
        cluster: &Overlay<'o>,
    ) -> Lookup<(&'o Entry, &'o NamespaceSelector)> {
        let owner = listed.and_then(|entry| Some((entry, entry.namespaces()?)));
        let claim = match self.claim_over(host, listed, cluster) {
            Lookup::Found(claim) => claim.entry.namespaces().map(|namespaces| (&claim.entry, namespaces)),
            Lookup::Absent => None,
            Lookup::Unknown => return Lookup::Unknown,
        };
        let claim = claim.filter(|(claim, _)| owner.is_none_or(|(owner, _)| owner.rank() < claim.rank()));
        claim.or(owner).map_or(Lookup::Absent, Lookup::Found)
    }

    /// The narrowest HostClaim that covers `host` and has an effect. A wider one than `host` may not be the narrowest unless all are known.
    pub(super) fn claim_over<'o>(
        &self,
        host: &Host<'_>,
        listed: Option<&Entry>,
        cluster: &Overlay<'o>,
    ) -> Lookup<&'o HostClaimFacts> {
        if self.mode(listed) == ClaimMode::Off || !cluster.has_host_claims() {
            return Lookup::Absent;
        }
        let mut effective: Vec<&HostClaimFacts> = Vec::new();
        for claim in cluster.host_claims_over(host) {
            let wider = effective.iter().rev().find(|wider| wider.is_older_than(claim)).copied();
            match self.has_effect(claim, wider, cluster) {
                Some(true) => effective.push(claim),
                Some(false) => {}
                None => return Lookup::Unknown,
            }
        }
        match effective.last() {
            Some(claim) if claim.entry.is_just(host) || cluster.knowledge_of_host_claims() == SyncState::Complete => {
                Lookup::Found(claim)
            }
            Some(_) => Lookup::Unknown,
            None => Lookup::Absent,
        }
    }

    /// Whether a HostClaim has an effect; `None` if labels are not known. `wider` is the narrowest older HostClaim with an effect that covers
    /// its host. An entry of the configuration for exactly the host takes precedence. Otherwise the entry or the HostClaim that covers the
    /// host must admit the namespace of the claim.
    fn has_effect(
        &self,
        claim: &HostClaimFacts,
        wider: Option<&HostClaimFacts>,
        cluster: &Overlay<'_>,
    ) -> Option<bool> {
        let Form::Host(host) = &claim.entry.form else { return Some(false) };
        let listed = self.deciding(host, &mut Last::default());
        let owner = listed.filter(|entry| entry.namespaces().is_some());
        if self.mode(listed) == ClaimMode::Off || owner.is_some_and(|entry| entry.is_just(host)) {
            return Some(false);
        }
        let wider = wider.map(|wider| &wider.entry);
        match wider.filter(|wider| owner.is_none_or(|owner| owner.rank() < wider.rank())).or(owner) {
            Some(covering) => covering.admits(host, &claim.namespace, cluster),
            None => Some(true),
        }
    }

    /// Whether a HostClaim is the narrowest one with an effect for its own host.
    pub(super) fn is_effective(&self, claim: &HostClaimFacts, cluster: &Overlay<'_>) -> bool {
        let Some(host) = claim.host() else { return false };
        let listed = self.deciding(host, &mut Last::default());
        matches!(self.claim_over(host, listed, cluster), Lookup::Found(found) if std::ptr::eq(found, claim))
    }
}
