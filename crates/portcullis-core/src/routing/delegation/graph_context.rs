//! The context of one IngressRoute within its class: the targets of its delegations, and the objects that delegate to
//! it.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::ancestors::Ancestors;
use super::target::DelegationTarget;
use super::verdict::GraphStatus;
use super::verdicts::verdicts_without;
use crate::cluster::delegation_facts::{DelegationFacts, EdgeFacts};
use crate::cluster::{Lookup, Overlay};
use crate::config::Config;
use crate::kinds::ObjectRef;

/// The verdicts on the component of the object under review, without that object. Many checks need them, so they are
/// computed once.
pub type NeighborVerdicts = OnceCell<BTreeMap<ObjectRef, GraphStatus>>;

/// The context of the object under review. The view identifies the object; its stored facts do not count.
#[derive(Debug, Clone, Copy)]
pub struct GraphContext<'r> {
    /// The rest of the cluster.
    pub cluster: &'r Overlay<'r>,
    /// The configuration, which says which namespaces may hold roots.
    pub config: &'r Config,
    /// The object's class.
    pub class: Option<&'r str>,
    /// Whether it has a host.
    pub is_root: bool,
    /// The verdicts without the object, once they have been computed.
    pub neighbors: &'r NeighborVerdicts,
}

/// An accepted delegation to the object.
#[derive(Debug, Clone, Copy)]
pub struct Delegation<'r> {
    /// The object that delegates.
    pub by: &'r DelegationFacts,
    /// The delegated prefix; `None` for whole connections.
    pub edge: Option<&'r EdgeFacts>,
}

impl<'r> GraphContext<'r> {
    /// The object at `object_ref`, as the target of a delegation.
    pub fn target(&self, object_ref: &ObjectRef) -> DelegationTarget<'r> {
        if object_ref == self.cluster.this() {
            return DelegationTarget::Itself;
        }
        match self.cluster.delegation(object_ref) {
            Lookup::Found(facts) if !facts.is_of(self.class) => DelegationTarget::OtherClass(facts),
            Lookup::Found(facts) if facts.root.is_none() => DelegationTarget::Vertex(facts),
            Lookup::Found(facts) if self.may_hold_roots(object_ref) => DelegationTarget::Root(facts),
            Lookup::Found(facts) => DelegationTarget::Misplaced(facts),
            Lookup::Absent => DelegationTarget::Missing,
            Lookup::Unknown => DelegationTarget::Unknown,
        }
    }

    /// The vertex at `object_ref`, if there is one to which the object can delegate.
    pub fn vertex(&self, object_ref: &ObjectRef) -> Option<&'r DelegationFacts> {
        match self.target(object_ref) {
            DelegationTarget::Vertex(facts) => Some(facts),
            _ => None,
        }
    }

    /// The objects that delegate to this one, directly or through others. A root has none, because no object can
    /// delegate to it.
    pub fn above(&self) -> Ancestors<'r> {
        if self.is_root { Ancestors::none(self.cluster) } else { Ancestors::of(self.cluster, self.class, None) }
    }

    /// Whether an allowed root is among the ancestors. Whether the prefixes on the path fit is not checked.
    pub fn is_below_a_root(&self) -> bool {
        let is_root = |facts: &DelegationFacts| facts.root.is_some() && self.may_hold_roots(&facts.object_ref);
        self.above().objects().any(is_root)
    }

    fn may_hold_roots(&self, object_ref: &ObjectRef) -> bool {
        self.config.may_hold_roots(object_ref.kind.api().kind, &object_ref.namespace)
    }

    /// The delegations to the object that hold if it accepts them, ordered by the delegating object. They come from
    /// objects that serve traffic under a root according to the verdicts of the graph. Services and delegated
    /// certificates are assumed to exist, because they change independently.
    pub fn delegations(&self) -> Vec<Delegation<'r>> {
        let this = self.cluster.this();
        let has_same_class = |by: &&DelegationFacts| by.is_of(self.class);
        let mut by = self.cluster.referrers(this).filter(has_same_class).peekable();
        if by.peek().is_none() {
            return Vec::new();
        }
        let verdicts = self.neighbors.get_or_init(|| verdicts_without(self.cluster, self.config));
        let known = by.filter_map(|by| Some((by, verdicts.get(&by.object_ref)?)));
        let all = known.flat_map(|(by, verdict)| {
            let edges = by.edges.iter().filter(|edge| verdict.serves && *edge.target == *this).map(Some);
            let whole =
                by.tcp.as_deref().filter(|target| verdict.connects && *target == this).into_iter().map(|_| None);
            edges.chain(whole).map(move |edge| Delegation { by, edge })
        });
        all.collect()
    }
}
