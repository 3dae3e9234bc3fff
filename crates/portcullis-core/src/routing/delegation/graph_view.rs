//! What a verdict is formed over: the view without the object under review.

use crate::cluster::delegation_facts::DelegationFacts;
use crate::cluster::{Lookup, Overlay};
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// The place of no object: seen from there, the view is all there is.
pub(super) static NOBODY: ObjectRef =
    ObjectRef { kind: Kind::IngressRoute, namespace: String::new(), name: String::new() };

/// The view without the object under review, and how much of it counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct GraphView<'s, 'c> {
    pub(super) view: &'s Overlay<'c>,
    /// Whether Services and delegated certificates count: they come and go without a change of a delegation.
    pub(super) is_whole: bool,
}

impl<'c> GraphView<'_, 'c> {
    /// The object at `object_ref`.
    pub(super) fn get(&self, object_ref: &ObjectRef) -> Lookup<&'c DelegationFacts> {
        if object_ref == self.view.this() {
            return Lookup::Absent;
        }
        self.view.delegation(object_ref)
    }

    /// Where the absence of the object under review begins to show: the object, where it delegated, and who claims the host that it had.
    pub(super) fn seeds(&self) -> Vec<&'c ObjectRef> {
        let this = self.view.this();
        let mut seeds = vec![this];
        if let Lookup::Found(facts) = self.view.delegation(this) {
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
