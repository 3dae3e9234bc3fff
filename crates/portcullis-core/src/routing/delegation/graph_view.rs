//! The view over which a verdict is formed: the cluster without the object under review.

use super::graph_rules::GraphRules;
use crate::cluster::delegation_facts::DelegationFacts;
use crate::cluster::{Lookup, Overlay};
use crate::kinds::ObjectRef;
use crate::matching::Host;

/// The view without the object under review, and which parts of it count.
#[derive(Debug, Clone, Copy)]
pub(super) struct GraphView<'s, 'c> {
    pub(super) cluster: &'s Overlay<'c>,
    /// Whether Services and delegated certificates count. They change independently of delegations.
    pub(super) is_whole: bool,
}

impl<'c> GraphView<'_, 'c> {
    /// Whether different load balancing strategies for one port of a Service make objects invalid.
    pub(super) fn compares_strategies(&self, rules: GraphRules<'_>) -> bool {
        self.is_whole && rules.config.status.strict_document
    }

    /// The object at `object_ref`.
    pub(super) fn get(&self, object_ref: &ObjectRef) -> Lookup<&'c DelegationFacts> {
        if object_ref == self.cluster.this() {
            return Lookup::Absent;
        }
        self.cluster.delegation(object_ref)
    }

    /// The objects whose verdict depends directly on the object under review: the object, the targets of its
    /// delegations, and the roots with the same host.
    pub(super) fn seeds(&self) -> Vec<&'c ObjectRef> {
        let this = self.cluster.this();
        let mut seeds = vec![this];
        if let Lookup::Found(facts) = self.cluster.delegation(this) {
            seeds.extend(facts.targets());
            seeds.extend(self.mates(facts).map(|mate| &*mate.object_ref));
        }
        seeds
    }

    /// The other roots that claim the host of `facts`; none for `Host::Any`, which does not conflict.
    pub(super) fn mates(&self, facts: &'c DelegationFacts) -> impl Iterator<Item = &'c DelegationFacts> {
        let host = facts.root.as_ref().filter(|host| **host != Host::Any);
        host.into_iter().flat_map(|host| self.cluster.roots(facts.object_ref.kind, facts.class.as_deref(), host))
    }

    /// The objects that use a port of a Service of `facts` with another strategy.
    pub(super) fn strategy_rivals(&self, facts: &DelegationFacts) -> impl Iterator<Item = &'c ObjectRef> {
        let class = facts.class.as_deref();
        let others = facts.uses.iter().flat_map(move |used| {
            let service = (&*facts.object_ref.namespace, used.name);
            self.cluster.users_with_other_strategy(service, i64::from(used.port), class, used.strategy)
        });
        others.map(|(_, other)| other).filter(|other| **other != *facts.object_ref)
    }
}
