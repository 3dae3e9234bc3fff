//! What hangs together: objects that delegate to each other, and roots that claim one host. No verdict depends on what is outside.

use std::sync::Arc;

use hashbrown::{HashMap, HashSet};

use super::covers::span;
use super::graph_view::GraphView;
use super::verdict::InvalidReason;
use crate::cluster::Lookup;
use crate::cluster::delegation_facts::DelegationFacts;
use crate::config::Config;
use crate::kinds::ObjectRef;
use crate::matching::Host;

/// Objects by place, each with where its delegations lead.
pub(super) struct Component<'c> {
    pub(super) nodes: Vec<Node<'c>>,
}

/// One object.
pub(super) struct Node<'c> {
    pub(super) facts: &'c DelegationFacts,
    pub(super) rank: Rank,
    pub(super) links: Vec<ComponentLink<'c>>,
    /// What a prefix must cover to cover all its routes; none where it has none.
    pub(super) span: Option<&'c str>,
    /// Why it is invalid whoever delegates to it.
    pub(super) why: Option<InvalidReason>,
}

/// Whether an object has a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    /// It has none.
    Vertex,
    /// It has one.
    Root,
    /// It names one that it may not have.
    Misplaced,
    /// Nobody can say: it cannot be read.
    Unreadable,
}

/// One delegation.
pub(super) struct ComponentLink<'c> {
    /// The position among `spec.routes`; none for `tcpproxy`.
    pub(super) route: Option<usize>,
    /// The prefix; none for whole connections.
    pub(super) prefix: Option<&'c str>,
    pub(super) target: &'c Arc<ObjectRef>,
    pub(super) end: End,
}

/// What stands where a delegation leads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// The object at this position, of the same class.
    Node(usize),
    /// An object of another class, which is as good as none.
    OtherClass,
    Missing,
    Unknown,
}

impl<'c> Component<'c> {
    /// All that hangs together with one of `seeds`. Where nothing stands any more, whoever still delegates there does.
    pub(super) fn around<'p>(
        seeds: impl IntoIterator<Item = &'p ObjectRef>,
        scene: GraphView<'_, 'c>,
        config: &Config,
    ) -> Self {
        let mut found = Found::default();
        for seed in seeds {
            match scene.get(seed) {
                Lookup::Found(facts) => found.add(facts),
                Lookup::Absent | Lookup::Unknown => scene.view.referrers(seed).for_each(|facts| found.add(facts)),
            }
        }
        while let Some(facts) = found.next.pop() {
            scene.view.referrers(&facts.object_ref).for_each(|above| found.add(above));
            let claim = facts.root.as_ref().map(|host| (facts.class.as_deref(), host));
            if claim.is_some_and(|claim| found.claims.insert(claim)) {
                scene.mates(facts).for_each(|mate| found.add(mate));
            }
            for target in facts.targets() {
                if let Lookup::Found(below) = scene.get(target) {
                    found.add(below);
                }
            }
        }
        let mut all = found.all;
        all.sort_unstable_by(|left, right| left.object_ref.cmp(&right.object_ref));
        let positions = all.iter().enumerate().map(|(position, facts)| (&*facts.object_ref, position)).collect();
        Self { nodes: all.iter().map(|facts| node(facts, &all, &positions, scene, config)).collect() }
    }
}

#[derive(Default)]
struct Found<'c> {
    places: HashSet<&'c ObjectRef>,
    /// The classes and hosts of which all roots are found, however many claim one.
    claims: HashSet<(Option<&'c str>, &'c Host<'static>)>,
    all: Vec<&'c DelegationFacts>,
    next: Vec<&'c DelegationFacts>,
}

impl<'c> Found<'c> {
    fn add(&mut self, facts: &'c DelegationFacts) {
        if self.places.insert(&facts.object_ref) {
            self.all.push(facts);
            self.next.push(facts);
        }
    }
}

fn node<'c>(
    facts: &'c DelegationFacts,
    all: &[&'c DelegationFacts],
    positions: &HashMap<&'c ObjectRef, usize>,
    scene: GraphView<'_, 'c>,
    config: &Config,
) -> Node<'c> {
    let end = |target: &ObjectRef| match positions.get(target) {
        Some(position) if all[*position].class == facts.class => End::Node(*position),
        Some(_) => End::OtherClass,
        None if matches!(scene.get(target), Lookup::Absent) => End::Missing,
        None => End::Unknown,
    };
    let routes = facts.edges.iter().map(|edge| (Some(edge.index), Some(&*edge.prefix), &edge.target));
    let whole = facts.tcp.as_ref().map(|target| (None, None, target));
    let links =
        routes.chain(whole).map(|(route, prefix, target)| ComponentLink { route, prefix, target, end: end(target) });
    let (kind, namespace) = (facts.object_ref.kind.api().kind, &facts.object_ref.namespace);
    let rank = match facts.root {
        None if facts.is_unreadable() => Rank::Unreadable,
        None => Rank::Vertex,
        Some(_) if config.may_hold_roots(kind, namespace) => Rank::Root,
        Some(_) => Rank::Misplaced,
    };
    Node { facts, rank, links: links.collect(), span: span(facts.prefixes()), why: None }
}
