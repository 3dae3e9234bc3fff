//! A connected component: objects that delegate to each other, roots that claim the same host, and objects whose load balancing
//! strategies contradict each other, where that makes them invalid. A verdict depends only on objects of the component.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::covers::span;
use super::graph_rules::GraphRules;
use super::graph_view::GraphView;
use super::verdict::{InvalidReason, RootRefusal};
use crate::cluster::Lookup;
use crate::cluster::delegation_facts::DelegationFacts;
use crate::kinds::ObjectRef;
use crate::matching::Host;

/// Objects ordered by reference, each with its delegations.
pub(super) struct Component<'c> {
    pub(super) nodes: Vec<GraphNode<'c>>,
}

/// One object.
pub(super) struct GraphNode<'c> {
    pub(super) facts: &'c DelegationFacts,
    pub(super) kind: NodeKind,
    pub(super) links: Vec<ComponentLink<'c>>,
    /// The longest prefix that covers all its routes; `None` if it has no routes. A delegated prefix covers all routes
    /// if it covers this one.
    pub(super) span: Option<&'c str>,
    /// Why the object is invalid, regardless of the objects that delegate to it.
    pub(super) why: Option<InvalidReason>,
}

/// Whether an object has a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NodeKind {
    /// It has none.
    Vertex,
    /// It has a host.
    Root,
    /// It names a host, but is not allowed to be its root. It does not count as a claim of the host.
    Refused(RootRefusal),
    /// It could not be decoded, so this is not known.
    Unreadable,
}

/// One delegation.
pub(super) struct ComponentLink<'c> {
    /// The index in `spec.routes`; `None` for `tcpproxy`.
    pub(super) route: Option<usize>,
    /// The prefix; `None` for whole connections.
    pub(super) prefix: Option<&'c str>,
    pub(super) target: &'c Arc<ObjectRef>,
    pub(super) end: End,
}

/// The target of a delegation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The object at this index, which has the same class.
    Node(usize),
    /// An object of another class, which counts as missing.
    OtherClass,
    Missing,
    Unknown,
}

impl<'c> Component<'c> {
    /// The index of the object at `object_ref`; `None` if it is not part of the component.
    pub(super) fn position(&self, object_ref: &ObjectRef) -> Option<usize> {
        self.nodes.binary_search_by(|node| (*node.facts.object_ref).cmp(object_ref)).ok()
    }

    /// Returns all objects that are connected with one of `seeds`. For a seed that does not exist, the objects that
    /// still delegate to it are the start.
    pub(super) fn around<'p>(
        seeds: impl IntoIterator<Item = &'p ObjectRef>,
        view: GraphView<'_, 'c>,
        rules: GraphRules<'_>,
    ) -> Self {
        let mut found = Found::default();
        for seed in seeds {
            match view.get(seed) {
                Lookup::Found(facts) => found.add(facts),
                Lookup::Absent | Lookup::Unknown => view.cluster.referrers(seed).for_each(|facts| found.add(facts)),
            }
        }
        while let Some(facts) = found.next.pop() {
            view.cluster.referrers(&facts.object_ref).for_each(|above| found.add(above));
            let claim = facts.root.as_ref().map(|host| (facts.class.as_deref(), host));
            if claim.is_some_and(|claim| found.claims.insert(claim)) {
                view.mates(facts).for_each(|mate| found.add(mate));
            }
            for target in facts.targets() {
                if let Lookup::Found(below) = view.get(target) {
                    found.add(below);
                }
            }
            if view.compares_strategies(rules) {
                for rival in view.strategy_rivals(facts) {
                    if let Lookup::Found(rival) = view.get(rival) {
                        found.add(rival);
                    }
                }
            }
        }
        let mut all = found.all;
        all.sort_unstable_by(|left, right| left.object_ref.cmp(&right.object_ref));
        let positions = all.iter().enumerate().map(|(position, facts)| (&*facts.object_ref, position)).collect();
        Self { nodes: all.iter().map(|facts| node(facts, &all, &positions, view, rules)).collect() }
    }
}

#[derive(Default)]
struct Found<'c> {
    object_refs: HashSet<&'c ObjectRef>,
    /// The classes and hosts whose roots have all been added, so that many roots with one host are visited once.
    claims: HashSet<(Option<&'c str>, &'c Host<'static>)>,
    all: Vec<&'c DelegationFacts>,
    next: Vec<&'c DelegationFacts>,
}

impl<'c> Found<'c> {
    fn add(&mut self, facts: &'c DelegationFacts) {
        if self.object_refs.insert(&facts.object_ref) {
            self.all.push(facts);
            self.next.push(facts);
        }
    }
}

fn node<'c>(
    facts: &'c DelegationFacts,
    all: &[&'c DelegationFacts],
    positions: &HashMap<&'c ObjectRef, usize>,
    view: GraphView<'_, 'c>,
    rules: GraphRules<'_>,
) -> GraphNode<'c> {
    let end = |target: &ObjectRef| match positions.get(target) {
        Some(position) if all[*position].class == facts.class => End::Node(*position),
        Some(_) => End::OtherClass,
        None if matches!(view.get(target), Lookup::Absent) => End::Missing,
        None => End::Unknown,
    };
    let routes = facts.edges.iter().map(|edge| (Some(edge.index), Some(&*edge.prefix), &edge.target));
    let whole = facts.tcp.as_ref().map(|target| (None, None, target));
    let links =
        routes.chain(whole).map(|(route, prefix, target)| ComponentLink { route, prefix, target, end: end(target) });
    let node_kind = match &facts.root {
        None if facts.is_unreadable() => NodeKind::Unreadable,
        None => NodeKind::Vertex,
        Some(_) if !rules.may_hold_roots(facts) => NodeKind::Refused(RootRefusal::Namespace),
        Some(host) if rules.is_owned_by_others(facts, host, view.cluster) => NodeKind::Refused(RootRefusal::Owner),
        Some(_) => NodeKind::Root,
    };
    GraphNode { facts, kind: node_kind, links: links.collect(), span: span(facts.prefixes()), why: None }
}
