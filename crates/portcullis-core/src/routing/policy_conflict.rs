//! BackendTLSPolicies with the same target: the older one takes precedence.

use jiff::Timestamp;

use super::precedence::compare;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::PolicyFacts;
use crate::kinds::reference::TargetRef;
use crate::kinds::{BackendTlsPolicy, Kind, ObjectRef};

/// The other policies that target the same Service, or the same port of it, ordered by reference.
pub fn rivals<'c>(target: &TargetRef<'_>, cluster: &Overlay<'c>) -> Vec<&'c PolicyFacts> {
    if !target.is_service() {
        return Vec::new();
    }
    let service = ObjectRef::new(Kind::Service, &cluster.this().namespace, &target.name);
    let section = target.section_name.as_deref().filter(|section| !section.is_empty());
    let has_target = |other: &&PolicyFacts| {
        let mut targets = other.targets.iter();
        targets.any(|(name, other)| **name == *target.name && other.as_deref() == section)
    };
    cluster.policies_of(&service).filter(has_target).collect()
}

/// The policy with the highest precedence among those that take precedence over `policy` for `target`.
pub fn older<'c>(
    policy: &BackendTlsPolicy<'_>,
    target: &TargetRef<'_>,
    cluster: &Overlay<'c>,
) -> Option<&'c PolicyFacts> {
    let own = (policy.metadata.created(), cluster.this());
    let older = rivals(target, cluster).into_iter().filter(|other| compare(rank(other), own).is_lt());
    older.min_by(|left, right| compare(rank(left), rank(right)))
}

fn rank(policy: &PolicyFacts) -> (Option<Timestamp>, &ObjectRef) {
    (policy.created, &policy.object_ref)
}
