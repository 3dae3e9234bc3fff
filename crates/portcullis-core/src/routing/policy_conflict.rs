//! BackendTLSPolicies with the same target: the older one takes precedence.

use super::precedence::compare;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::PolicyFacts;
use crate::kinds::reference::TargetRef;
use crate::kinds::{BackendTlsPolicy, Kind, ObjectRef};

/// The other policies that target the same Service, or the same port of it, ordered by reference.
pub fn rivals<'c>(target: &TargetRef<'_>, cluster: &Overlay<'c>) -> impl Iterator<Item = &'c PolicyFacts> {
    let service = ObjectRef::new(Kind::Service, &cluster.this().namespace, &target.name);
    let section = target.section_name.as_deref().filter(|section| !section.is_empty());
    let others: Vec<&'c PolicyFacts> =
        if target.is_service() { cluster.policies_of(&service).collect() } else { vec![] };
    let has_target = |other: &&PolicyFacts| {
        let mut targets = other.targets.iter();
        targets.any(|(name, other)| **name == *target.name && other.as_deref() == section)
    };
    others.into_iter().filter(has_target).collect::<Vec<_>>().into_iter()
}

/// The policy with the highest precedence among those that take precedence over `policy` for `target`.
pub fn older<'c>(
    policy: &BackendTlsPolicy<'_>,
    target: &TargetRef<'_>,
    cluster: &Overlay<'c>,
) -> Option<&'c PolicyFacts> {
    let own = (policy.metadata.created(), cluster.this());
    let rank = |other: &PolicyFacts| compare((other.created, &other.object_ref), own);
    let rivals = rivals(target, cluster).filter(|other| rank(other).is_lt());
    rivals.min_by(|left, right| compare((left.created, &left.object_ref), (right.created, &right.object_ref)))
}
