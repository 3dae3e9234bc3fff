//! What is around one IngressRoute, of its class: where its delegations lead, and who delegates to it.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use super::ancestors::Ancestors;
use super::target::Target;
use super::verdict::GraphStatus;
use super::verdicts::verdicts_without;
use crate::cluster::delegation_facts::{DelegationFacts, EdgeFacts};
use crate::cluster::{Lookup, Overlay};
use crate::config::Config;
use crate::kinds::ObjectRef;

/// The verdicts on what hangs together with the object under review, without it: many checks ask for them, and they are formed once.
pub type NeighborVerdicts = OnceCell<BTreeMap<ObjectRef, GraphStatus>>;

/// The surroundings of the object under review, of which the view says the place and the facts nothing.
#[derive(Debug, Clone, Copy)]
pub struct GraphContext<'r> {
    /// The rest of the cluster.
    pub cluster: &'r Overlay<'r>,
    /// The configuration, which says who may be a root.
    pub config: &'r Config,
    /// The object's class.
    pub class: Option<&'r str>,
    /// Whether it has a host.
    pub is_root: bool,
    /// Who stands without it, as far as somebody asked.
    pub neighbors: &'r NeighborVerdicts,
}

/// An accepted delegation to the object.
#[derive(Debug, Clone, Copy)]
pub struct Delegation<'r> {
    /// Who delegates.
    pub by: &'r DelegationFacts,
    /// Which prefix; none for whole connections.
    pub edge: Option<&'r EdgeFacts>,
}

impl<'r> GraphContext<'r> {
    /// What stands at `object_ref`.
    pub fn target(&self, object_ref: &ObjectRef) -> Target<'r> {
        if object_ref == self.cluster.this() {
            return Target::Itself;
        }
        match self.cluster.delegation(object_ref) {
            Lookup::Found(facts) if !facts.is_of(self.class) => Target::OtherClass(facts),
            Lookup::Found(facts) if facts.root.is_none() => Target::Vertex(facts),
            Lookup::Found(facts) if self.may_hold_roots(object_ref) => Target::Root(facts),
            Lookup::Found(facts) => Target::Misplaced(facts),
            Lookup::Absent => Target::Missing,
            Lookup::Unknown => Target::Unknown,
        }
    }

    /// The vertex at `object_ref`, if there is one to which the object can delegate.
    pub fn vertex(&self, object_ref: &ObjectRef) -> Option<&'r DelegationFacts> {
        match self.target(object_ref) {
            Target::Vertex(facts) => Some(facts),
            _ => None,
        }
    }

    /// Who delegates to the object and its delegators; nobody can to a root.
    pub fn above(&self) -> Ancestors<'r> {
        if self.is_root { Ancestors::none(self.cluster) } else { Ancestors::of(self.cluster, self.class, None) }
    }

    /// Whether a root that may be one is above, however the routes in between fit.
    pub fn is_below_a_root(&self) -> bool {
        let is_root = |facts: &DelegationFacts| facts.root.is_some() && self.may_hold_roots(&facts.object_ref);
        self.above().objects().any(is_root)
    }

    fn may_hold_roots(&self, object_ref: &ObjectRef) -> bool {
        self.config.may_hold_roots(object_ref.kind.api().kind, &object_ref.namespace)
    }

    /// The delegations to the object that hold if it can take them, by place of who delegates: those of objects that serve under a root
    /// by the verdicts of the graph, but for what comes and goes by itself (Services and lent certificates).
    pub fn delegations(&self) -> Vec<Delegation<'r>> {
        let this = self.cluster.this();
        let is_beside = |by: &&DelegationFacts| by.is_of(self.class);
        let mut by = self.cluster.referrers(this).filter(is_beside).peekable();
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
