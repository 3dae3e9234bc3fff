//! What a verdict is formed over: the view, with the object under review as it would be.

use crate::cluster::delegation_facts::DelegationFacts;
use crate::cluster::{Lookup, Overlay};
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// The place of no object: seen from there, the view is all there is.
pub(super) static NOBODY: ObjectRef =
    ObjectRef { kind: Kind::IngressRoute, namespace: String::new(), name: String::new() };

/// The view without the object under review, and what stands in its place.
#[derive(Debug, Clone, Copy)]
pub(super) struct GraphView<'s, 'c> {
    pub(super) view: &'s Overlay<'c>,
    pub(super) put: Option<&'c DelegationFacts>,
    /// Whether Services and lent certificates count, which come and go without anybody who delegates.
    pub(super) is_whole: bool,
}

impl<'c> GraphView<'_, 'c> {
    /// The object at `object_ref`.
    pub(super) fn get(&self, object_ref: &ObjectRef) -> Lookup<&'c DelegationFacts> {
        if object_ref == self.view.this() {
            return self.put.map_or(Lookup::Absent, Lookup::Found);
        }
        self.view.delegation(object_ref)
    }

    /// Where a change of the object under review begins to show: the object, where it delegates and delegated, who claims or claimed its
    /// host.
    pub(super) fn seeds(&self) -> Vec<&'c ObjectRef> {
        let this = self.view.this();
        let before = match self.view.delegation(this) {
            Lookup::Found(facts) => Some(facts),
            Lookup::Absent | Lookup::Unknown => None,
        };
        let mut seeds = vec![this];
        for facts in self.put.into_iter().chain(before) {
            seeds.extend(facts.targets());
            seeds.extend(self.mates(facts).map(|mate| &*mate.object_ref));
        }
        seeds
    }

    /// The other roots that claim the host of `facts`; of every host, which is nobody's, none.
    pub(super) fn mates(&self, facts: &'c DelegationFacts) -> impl Iterator<Item = &'c DelegationFacts> {
        let host = facts.root.as_ref().filter(|host| **host != Host::Any);
        host.into_iter().flat_map(|host| self.view.roots(facts.object_ref.kind, facts.class.as_deref(), host))
    }
}
