//! The verdicts of a component. Whether a delegation holds depends only on its prefix and on the routes of its target,
//! so each is evaluated once, however many paths contain it.

use std::sync::Arc;

use super::component::{Component, ComponentLink, End, GraphNode, NodeKind};
use super::covers::covers;
use super::graph_rules::GraphRules;
use super::graph_view::GraphView;
use super::local;
use super::strategy;
use super::traversal::Traversal;
use super::verdict::{DelegationFailure, DelegationState, Failing, GraphStatus, InvalidReason, Outside, ROOTS, Root};
use crate::kinds::ObjectRef;

/// Returns the verdicts in the order of the objects, and the number of delegations that were looked at.
pub(super) fn evaluate(
    component: &mut Component<'_>,
    view: GraphView<'_, '_>,
    rules: GraphRules<'_>,
) -> (Vec<GraphStatus>, usize) {
    local::evaluate(component, view, rules);
    let (verdicts, steps) = evaluate_delegations(component);
    // Which objects are valid decides whose strategies count.
    if !(view.compares_strategies(rules) && strategy::refuse(component, &verdicts, view)) {
        return (verdicts, steps);
    }
    let (verdicts, more) = evaluate_delegations(component);
    (verdicts, steps + more)
}

/// Evaluates the delegations among objects of which it is known whether they are invalid by themselves.
fn evaluate_delegations(component: &Component<'_>) -> (Vec<GraphStatus>, usize) {
    let walk = Traversal::of(component);
    let mut evaluator =
        DelegationEvaluator { nodes: &component.nodes, walk: &walk, parts: Vec::new(), steps: walk.steps };
    evaluator.parts.resize_with(component.nodes.len(), PartialVerdict::default);
    walk.order.iter().for_each(|position| evaluator.delegate(*position));
    let steps = evaluator.steps;
    let roots: Vec<_> = component.nodes.iter().map(root).collect();
    let parts = std::mem::take(&mut evaluator.parts);
    (parts.into_iter().enumerate().map(|(position, part)| evaluator.verdict(position, part, &roots)).collect(), steps)
}

struct DelegationEvaluator<'b, 'c> {
    nodes: &'b [GraphNode<'c>],
    walk: &'b Traversal,
    parts: Vec<PartialVerdict>,
    steps: usize,
}

/// The intermediate result for one object.
#[derive(Default)]
struct PartialVerdict {
    /// Whether a prefix is delegated to it (`serves`), and whether whole connections are (`connects`).
    serves: bool,
    connects: bool,
    /// The roots above it, in order; only the first few are kept.
    roots: Vec<usize>,
    failing: Vec<Failing>,
    /// The first accepted object that delegates to this one without success, and the index of that delegation.
    refused: Option<(usize, usize)>,
}

impl DelegationEvaluator<'_, '_> {
    /// Evaluates the delegations of one object. All delegations to it must have been evaluated before.
    fn delegate(&mut self, position: usize) {
        let nodes = self.nodes;
        if nodes[position].kind == NodeKind::Root {
            let part = &mut self.parts[position];
            (part.serves, part.connects, part.roots) = (true, true, vec![position]);
        }
        let part = &self.parts[position];
        let (serves, connects, roots) = (part.serves, part.connects, part.roots.clone());
        if self.walk.cycles[position].is_some() || !(serves || connects) {
            return;
        }
        let live = nodes[position].links.iter().enumerate();
        for (number, link) in live.filter(|(_, link)| if link.prefix.is_some() { serves } else { connects }) {
            self.steps += 1;
            let reason = self.fails(link);
            let End::Node(target) = link.end else {
                self.parts[position].failing.extend(reason.map(|reason| failing(link, reason)));
                continue;
            };
            let part = &mut self.parts[target];
            match reason {
                None => {
                    part.serves |= link.prefix.is_some();
                    part.connects |= link.prefix.is_none();
                    merge(&mut part.roots, &roots);
                }
                Some(reason) => {
                    let first = part.refused.get_or_insert((position, number));
                    *first = (*first).min((position, number));
                    self.parts[position].failing.push(failing(link, reason));
                }
            }
        }
    }

    /// Why a delegation of an accepted object fails.
    fn fails(&self, link: &ComponentLink<'_>) -> Option<DelegationFailure> {
        let target = match link.end {
            End::Node(target) => target,
            End::OtherClass => return Some(DelegationFailure::OtherClass),
            End::Missing => return Some(DelegationFailure::Missing),
            End::Unknown => return None,
        };
        let node = &self.nodes[target];
        if let NodeKind::Refused(refusal) = node.kind {
            return Some(DelegationFailure::Root(refusal));
        }
        if node.why.is_some() || self.walk.cycles[target].is_some() {
            return Some(DelegationFailure::Invalid);
        }
        match link.prefix {
            Some(prefix) => outside(node, prefix).map(DelegationFailure::Outside),
            None => {
                (!node.facts.own.as_deref().is_some_and(|own| own.is_tcp)).then_some(DelegationFailure::NoConnections)
            }
        }
    }

    fn verdict(&self, position: usize, part: PartialVerdict, roots: &[Option<Arc<Root>>]) -> GraphStatus {
        let node = &self.nodes[position];
        let own = node.why.clone().or_else(|| self.cycle(position));
        let (state, why) = match (node.kind, &part.refused) {
            (NodeKind::Root | NodeKind::Refused(_) | NodeKind::Unreadable, _) if own.is_some() => {
                (DelegationState::Invalid, own)
            }
            (NodeKind::Root | NodeKind::Refused(_) | NodeKind::Unreadable, _) => (DelegationState::Valid, None),
            (NodeKind::Vertex, _) if part.serves || part.connects => (DelegationState::Valid, None),
            (NodeKind::Vertex, Some(by)) => (DelegationState::Invalid, own.or_else(|| self.refusal(node, *by))),
            (NodeKind::Vertex, None) => (DelegationState::Orphaned, own),
        };
        let is_live = state == DelegationState::Valid;
        let claims = node.facts.root.as_ref().filter(|_| node.kind == NodeKind::Root && !is_live);
        GraphStatus {
            state,
            is_root: matches!(node.kind, NodeKind::Root | NodeKind::Refused(_)),
            serves: is_live && part.serves,
            connects: is_live && part.connects,
            why: why.map(Box::new),
            delegates: !node.links.is_empty(),
            failing: part.failing.into(),
            roots: part.roots.iter().filter(|_| is_live).filter_map(|root| roots[*root].clone()).collect(),
            claims: claims.cloned(),
            generation: node.facts.generation,
        }
    }

    fn cycle(&self, position: usize) -> Option<InvalidReason> {
        let cycle = self.walk.cycles[position].as_ref()?;
        Some(InvalidReason::Cycle(cycle.iter().map(|position| self.object_ref(*position)).collect()))
    }

    /// Why this delegation does not accept an object that is valid by itself.
    fn refusal(&self, node: &GraphNode<'_>, (by, link): (usize, usize)) -> Option<InvalidReason> {
        let Some(prefix) = self.nodes[by].links[link].prefix else {
            return Some(InvalidReason::NoConnections(self.object_ref(by)));
        };
        let route = outside(node, prefix)?;
        Some(InvalidReason::Outside { by: self.object_ref(by), prefix: prefix.into(), route })
    }

    fn object_ref(&self, position: usize) -> ObjectRef {
        (*self.nodes[position].facts.object_ref).clone()
    }
}

/// The first route of an object that `prefix` does not cover. Served routes come before delegating ones.
fn outside(node: &GraphNode<'_>, prefix: &str) -> Option<Outside> {
    let span = node.span?;
    if covers(prefix, span) {
        return None;
    }
    let mut routes = node.facts.prefixes().enumerate();
    let (position, route) = routes.find(|(_, route)| !covers(prefix, route))?;
    Some(Outside { prefix: route.into(), delegates: position >= node.facts.serves.len() })
}

fn failing(link: &ComponentLink<'_>, reason: DelegationFailure) -> Failing {
    Failing { route: link.route, target: link.target.clone(), reason }
}

fn root(node: &GraphNode<'_>) -> Option<Arc<Root>> {
    let host = node.facts.root.as_ref().filter(|_| node.kind == NodeKind::Root && node.why.is_none())?;
    Some(Arc::new(Root { object_ref: node.facts.object_ref.clone(), host: host.clone() }))
}

/// Merges the roots of another object into those of this one, keeping the first few.
fn merge(own: &mut Vec<usize>, more: &[usize]) {
    for root in more {
        if let Err(position) = own.binary_search(root)
            && position < ROOTS
        {
            own.insert(position, *root);
        }
    }
    own.truncate(ROOTS);
}
