//! BackendTLSPolicies with the same target: the older one takes precedence.

use jiff::Timestamp;

use super::precedence::compare;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::PolicyFacts;
use crate::kinds::reference::TargetRef;
use crate::kinds::{BackendTlsPolicy, Kind, ObjectRef};

/// The other policies that target the same Service, or the same port of it, ordered by reference.
pub fn rivals<'c>(target: &TargetRef<'_>, cluster: &Overlay<'c>) -> impl Iterator<Item = &'c PolicyFacts> {
    let service = ObjectRef::new(Kind::Service, &cluster.this().namespace, &target.name);
    let section = target.section_name.as_deref().filter(|section| !section.is_empty());
    target.is_service().then(|| cluster.policies_of(&service, section)).into_iter().flatten()
}

/// The policy with the highest precedence among those that take precedence over `policy` for `target`.
pub fn older<'c>(
    policy: &BackendTlsPolicy<'_>,
    target: &TargetRef<'_>,
    cluster: &Overlay<'c>,
) -> Option<&'c PolicyFacts> {
    let own = (policy.metadata.created(), cluster.this());
    let older = rivals(target, cluster).filter(|other| compare(rank(other), own).is_lt());
    older.min_by(|left, right| compare(rank(left), rank(right)))
}

fn rank(policy: &PolicyFacts) -> (Option<Timestamp>, &ObjectRef) {
    (policy.created, &policy.object_ref)
}
