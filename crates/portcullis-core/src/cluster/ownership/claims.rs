//! HostClaims as entries: which of them have an effect, and which entry decides about a host.
//!
//! The effect is computed from the configuration, the HostClaims of wider hosts and their creation times, and never read from a status. So
//! `lint`, `audit` and every replica agree, and no status can lag behind or be forged.

use super::super::host_claims::HostClaimFacts;
use super::super::host_entry::Entry;
use super::super::{Cluster, Lookup, Overlay, SyncState};
use super::literals::Last;
use super::{Owner, Ownership};
use crate::config::{ClaimMode, NamespaceSelector};
use crate::kinds::Kind;
use crate::matching::Host;

/// Why a HostClaim has no effect.
#[derive(Debug, Clone, Copy)]
pub enum Obstacle<'o> {
    /// The configuration ignores HostClaims for its host.
    Ignored,
    /// An entry of the configuration for the host, or for a wildcard above it, gives it to namespaces.
    Entry {
        /// The host of the entry, as written.
        host: &'o str,
        /// The namespaces that may claim it.
        by: &'o NamespaceSelector,
        /// Whether it gives the host of the claim to the namespace of the claim, too.
        is_own: bool,
    },
    /// The HostClaim of another namespace for a wildcard above the host.
    Claim(&'o HostClaimFacts),
}

impl Ownership {
    /// Whether decisions depend on HostClaims.
    pub fn needs_claims(&self) -> bool {
        self.claims != ClaimMode::Off
            || self.entries.iter().any(|entry| entry.claims.is_some_and(|mode| mode != ClaimMode::Off))
    }

    /// Whether decisions may depend on HostClaims that are not known.
    pub fn lacks_claims(&self, cluster: &Cluster) -> bool {
        self.needs_claims() && !cluster.knows_all(Kind::HostClaim)
    }

    /// Whether `host` is known to have no HostClaim, and may not be claimed without one.
    pub fn requires_claim(&self, host: &Host<'_>, cluster: &Overlay<'_>) -> bool {
        let listed = self.deciding(host, &mut Last::default());
        self.mode(listed) == ClaimMode::Required
            && self.holding(host, listed, cluster) == Lookup::Absent
            && cluster.knowledge_of_host_claims() == SyncState::Complete
    }

    /// Whether a HostClaim for `host` may have an effect: neither the configuration nor the most specific entry turns HostClaims off.
    pub fn uses_claims(&self, host: &Host<'_>) -> bool {
        self.mode(self.deciding(host, &mut Last::default())) != ClaimMode::Off
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
        match listed.map(|entry| entry.claims) {
            Some(Some(mode)) => mode,
            Some(None) if self.claims != ClaimMode::Off => ClaimMode::Optional,
            Some(None) | None => self.claims,
        }
    }

    /// The entry that gives `host` to namespaces, and these: that of a HostClaim, or `listed`, the most specific one of the configuration.
    pub(super) fn holding<'o>(
        &'o self,
        host: &Host<'_>,
        listed: Option<&'o Entry>,
        cluster: &Overlay<'o>,
    ) -> Lookup<(&'o Entry, &'o NamespaceSelector)> {
        let owner = listed.and_then(|entry| Some((entry, entry.owners_of(host)?)));
        let claim = match self.claim_over(host, listed, cluster) {
            Lookup::Found(claim) => claim.entry.namespaces.as_ref().map(|namespaces| (&claim.entry, namespaces)),
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
        let Some(effective) = self.effective(cluster.host_claims_over(host).into_iter(), cluster) else {
            return Lookup::Unknown;
        };
        match effective.last() {
            Some(claim) if claim.entry.is_just(host) || cluster.knowledge_of_host_claims() == SyncState::Complete => {
                Lookup::Found(claim)
            }
            Some(_) => Lookup::Unknown,
            None => Lookup::Absent,
        }
    }

    /// What keeps a HostClaim from having an effect; unknown if that depends on labels that are not known. `wider` is the narrowest older
    /// HostClaim with an effect that covers its host. An entry of the configuration for exactly the host takes precedence. Otherwise the host
    /// must belong to the namespace of the claim by the entry or the HostClaim that covers it, or the entry must leave it to HostClaims.
    fn obstacle<'o>(
        &'o self,
        claim: &HostClaimFacts,
        wider: Option<&'o HostClaimFacts>,
        cluster: &Overlay<'_>,
    ) -> Lookup<Obstacle<'o>> {
        let Some(host) = claim.host() else { return Lookup::Found(Obstacle::Ignored) };
        let listed = self.deciding(host, &mut Last::default());
        if self.mode(listed) == ClaimMode::Off {
            return Lookup::Found(Obstacle::Ignored);
        }
        let owner = listed.and_then(|entry| Some((entry, entry.namespaces.as_ref()?)));
        let owner = owner.filter(|(entry, _)| wider.is_none_or(|wider| wider.entry.rank() <= entry.rank()));
        let Some((entry, by)) = owner else {
            let foreign = wider.filter(|wider| wider.namespace != claim.namespace);
            return foreign.map_or(Lookup::Absent, |wider| Lookup::Found(Obstacle::Claim(wider)));
        };
        if entry.claims.is_some() && !entry.is_just(host) {
            return Lookup::Absent;
        }
        let admits = entry.admits(host, &claim.namespace, cluster);
        let found = |is_own| Lookup::Found(Obstacle::Entry { host: &entry.written, by, is_own });
        match admits {
            Some(is_own) if entry.is_just(host) => found(is_own),
            Some(true) => Lookup::Absent,
            Some(false) => found(false),
            None => Lookup::Unknown,
        }
    }

    /// What keeps a HostClaim, which need not be stored, from having an effect. A claim whose creation time is not known may be older than
    /// another one. Unknown if that depends on labels or on HostClaims that are not known.
    pub fn obstacle_to<'o>(&'o self, claim: &HostClaimFacts, cluster: &Overlay<'o>) -> Lookup<Obstacle<'o>> {
        let Some(host) = claim.host().filter(|host| self.uses_claims(host)) else {
            return Lookup::Found(Obstacle::Ignored);
        };
        let others = cluster.host_claims_over(host).into_iter().filter(|other| other.name != claim.name);
        let wider = match self.effective(others, cluster) {
            Some(effective) => effective.into_iter().rfind(|other| {
                let is_unknown = claim.created.is_none() || other.created.is_none();
                is_unknown || other.is_older_than(claim)
            }),
            None => return Lookup::Unknown,
        };
        match self.obstacle(claim, wider, cluster) {
            Lookup::Found(Obstacle::Claim(_)) if cluster.knowledge_of_host_claims() != SyncState::Complete => {
                Lookup::Unknown
            }
            answer => answer,
        }
    }

    /// Those of the HostClaims, ordered from the widest to the narrowest, that have an effect; `None` if that depends on labels that are not
    /// known.
    fn effective<'o>(
        &self,
        claims: impl Iterator<Item = &'o HostClaimFacts>,
        cluster: &Overlay<'_>,
    ) -> Option<Vec<&'o HostClaimFacts>> {
        let mut effective: Vec<&HostClaimFacts> = Vec::new();
        for claim in claims {
            let wider = effective.iter().rfind(|wider| wider.is_older_than(claim)).copied();
            match self.obstacle(claim, wider, cluster) {
                Lookup::Absent => effective.push(claim),
                Lookup::Found(_) => {}
                Lookup::Unknown => return None,
            }
        }
        Some(effective)
    }

    /// Whether a HostClaim is the narrowest one with an effect for its own host.
    pub(super) fn is_effective(&self, claim: &HostClaimFacts, cluster: &Overlay<'_>) -> bool {
        let Some(host) = claim.host() else { return false };
        let listed = self.deciding(host, &mut Last::default());
        matches!(self.claim_over(host, listed, cluster), Lookup::Found(found) if std::ptr::eq(found, claim))
    }
}
