//! The look-ups of HostClaims, and of what they concern.

use super::super::host_claims::HostClaimFacts;
use super::super::hosts::{KINDS, KINDS_WITH_HOSTS};
use super::super::reads::ReadKey;
use super::super::{Lookup, SyncState};
use super::Overlay;
use crate::kinds::{Kind, KindSet, ObjectRef};
use crate::matching::Host;
use crate::matching::claim_name::name_of;

/// The kinds whose objects name hosts.
pub const NAMING: KindSet = KindSet::of(KINDS_WITH_HOSTS);

impl<'c> Overlay<'c> {
    /// Whether HostClaims may have an effect. Where they may, what follows depends on those that are looked up then.
    pub(in crate::cluster) fn has_host_claims(&self) -> bool {
        self.record(KindSet::of(&[Kind::HostClaim]));
        let are_none = self.cluster.host_claims.are_none();
        if are_none {
            self.depends_on(|| ReadKey::Kind(Kind::HostClaim));
        }
        !are_none
    }

    /// How much of the HostClaims is known.
    pub(in crate::cluster) fn knowledge_of_host_claims(&self) -> SyncState {
        self.record(KindSet::of(&[Kind::HostClaim]));
        self.cluster.knowledge(Kind::HostClaim)
    }

    /// The HostClaim of this name.
    pub fn host_claim(&self, name: &str) -> Lookup<&'c HostClaimFacts> {
        self.reads(Kind::HostClaim);
        self.depends_on_object(Kind::HostClaim, "", name);
        self.cluster.answer(Kind::HostClaim, "", self.cluster.host_claims.get(name))
    }

    /// The HostClaims for hosts that cover `host`, the widest first, and that for `host`.
    pub(in crate::cluster) fn host_claims_over(&self, host: &Host<'_>) -> Vec<&'c HostClaimFacts> {
        self.reads(Kind::HostClaim);
        name_of(host).iter().for_each(|name| self.depends_on_object(Kind::HostClaim, "", name));
        for wildcard in host.wildcards_above() {
            name_of(&wildcard).iter().for_each(|name| self.depends_on_object(Kind::HostClaim, "", name));
        }
        self.cluster.host_claims.over(host)
    }

    /// The HostClaims for hosts that `host` covers at any depth, without its own.
    pub(in crate::cluster) fn host_claims_below(&self, host: &Host<'_>) -> impl Iterator<Item = &'c HostClaimFacts> {
        self.reads(Kind::HostClaim);
        self.depends_on(|| ReadKey::Kind(Kind::HostClaim));
        self.cluster.host_claims.below(host)
    }

    /// How many HostClaims a namespace owns.
    pub(in crate::cluster) fn host_claims_of(&self, namespace: &str) -> usize {
        self.reads(Kind::HostClaim);
        self.depends_on(|| ReadKey::HostClaimsOf(namespace.into()));
        self.cluster.host_claims.count_of(namespace)
    }

    /// The objects that name the host of a HostClaim, by kind.
    pub fn serving(&self, claim: &HostClaimFacts) -> impl Iterator<Item = &'c ObjectRef> {
        let host = claim.host();
        if let Some(host) = host {
            self.depends_on(|| ReadKey::Naming(host.from_the_right().into()));
        }
        let ingresses = host.into_iter().flat_map(|host| self.ingresses_with_host(host));
        let others =
            host.into_iter().flat_map(|host| KINDS.into_iter().flat_map(|kind| self.stored_naming(kind, host)));
        ingresses.map(|facts| &facts.object_ref).chain(others)
    }
}
