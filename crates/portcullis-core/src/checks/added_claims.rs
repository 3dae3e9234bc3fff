//! The claims that an update adds.

use crate::cluster::Facts;
use crate::cluster::claim_set::ClaimSet;
use crate::finding::{Claim, Finding};
use crate::kinds::{Object, walk};
use crate::matching::Host;
use crate::matching::alias::Aliased;
use crate::matching::host_claim::CERTIFICATES;

/// The claims of an object before and after an update.
pub(super) struct AddedClaims {
    new: ClaimSet,
    old: ClaimSet,
}

impl AddedClaims {
    /// What the update of `old` to `new` adds.
    pub fn of(new: &Object<'_>, old: &Object<'_>) -> Self {
        Self { new: claims(new), old: claims(old) }
    }

    /// Whether a finding is about a claim to which the update adds.
    pub fn concern(&self, finding: &Finding) -> bool {
        let Some(Claim { host, path }) = &finding.claim else { return false };
        // A host that the object does not name itself comes from a listener, or is one of those that a wildcard or an
        // expression covers, so the claim to every host decides.
        match self.new.has(host) {
            true => self.new.adds_to(&self.old, host, path.as_deref()),
            false => self.new.adds_any(&self.old),
        }
    }
}

/// The claims of an object, including the hosts that only annotations and `spec.tls` name.
fn claims(object: &Object<'_>) -> ClaimSet {
    let mut set = ClaimSet::of(&Facts::of(object));
    let aliases = Aliased::all("metadata.annotations", &object.metadata().annotations);
    for aliased in aliases {
        let (key, value) = aliased.written();
        for claim in aliased.claims(&[]) {
            // A host of a list stays the same claim if the list changes; an expression is a claim as a whole.
            let written = if claim.written.is_empty() { value } else { "" };
            set.add(&claim.host.to_string(), "", (key, written));
        }
    }
    if let Object::Ingress(ingress) = object {
        for (_, host) in walk::tls_hosts(ingress) {
            set.add(&Host::parse(host).to_string(), CERTIFICATES, "");
        }
    }
    set
}
