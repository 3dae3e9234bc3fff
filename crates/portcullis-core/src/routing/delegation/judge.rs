//! Verdicts of a component. Whether a delegation holds depends on its prefix and on the routes of its target alone, so each is judged once,
//! however many ways lead over it.

use std::sync::Arc;

use super::component::{Component, ComponentLink, End, Node, Rank};
use super::covers::covers;
use super::graph_view::GraphView;
use super::local;
use super::traversal::Traversal;
use super::verdict::{DelegationState, Failing, GraphStatus, InvalidReason, Outside, ROOTS, ReasonDetail, Root};
use crate::config::Config;
use crate::kinds::ObjectRef;

/// The verdicts, in the order of the objects, and how many delegations were looked at for them.
pub(super) fn judge(
    component: &mut Component<'_>,
    scene: GraphView<'_, '_>,
    config: &Config,
) -> (Vec<GraphStatus>, usize) {
    local::judge(component, scene, config);
    let component = &*component;
    let walk = Traversal::of(component);
    let mut bench = DelegationEvaluator { nodes: &component.nodes, walk: &walk, parts: Vec::new(), steps: walk.steps };
    bench.parts.resize_with(component.nodes.len(), Part::default);
    walk.order.iter().for_each(|position| bench.delegate(*position));
    let steps = bench.steps;
    let roots: Vec<_> = component.nodes.iter().map(root).collect();
    let parts = std::mem::take(&mut bench.parts);
    (parts.into_iter().enumerate().map(|(position, part)| bench.verdict(position, part, &roots)).collect(), steps)
}

struct DelegationEvaluator<'b, 'c> {
    nodes: &'b [Node<'c>],
    walk: &'b Traversal,
    parts: Vec<Part>,
    steps: usize,
}

/// What is known of one object.
#[derive(Default)]
struct Part {
    /// Whether a prefix is delegated to it, and whether whole connections are.
    serves: bool,
    connects: bool,
    /// The roots above, in order; none beyond the first few.
    roots: Vec<usize>,
    failing: Vec<Failing>,
    /// The first accepted object, and its delegation, that could not accept this one.
    refused: Option<(usize, usize)>,
}

impl DelegationEvaluator<'_, '_> {
    /// Judges the delegations of one object, all delegations to which are judged.
    fn delegate(&mut self, position: usize) {
        let nodes = self.nodes;
        if nodes[position].rank == Rank::Root {
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
            let because = self.fails(link);
            let End::Node(target) = link.end else {
                self.parts[position].failing.extend(because.map(|because| failing(link, because)));
                continue;
            };
            let part = &mut self.parts[target];
            match because {
                None => {
                    part.serves |= link.prefix.is_some();
                    part.connects |= link.prefix.is_none();
                    merge(&mut part.roots, &roots);
                }
                Some(because) => {
                    let first = part.refused.get_or_insert((position, number));
                    *first = (*first).min((position, number));
                    self.parts[position].failing.push(failing(link, because));
                }
            }
        }
    }

    /// Why a delegation of an accepted object leads nowhere.
    fn fails(&self, link: &ComponentLink<'_>) -> Option<ReasonDetail> {
        let target = match link.end {
            End::Node(target) => target,
            End::OtherClass => return Some(ReasonDetail::OtherClass),
            End::Missing => return Some(ReasonDetail::Missing),
            End::Unknown => return None,
        };
        let node = &self.nodes[target];
        if node.rank == Rank::Misplaced {
            return Some(ReasonDetail::Misplaced);
        }
        if node.why.is_some() || self.walk.cycles[target].is_some() {
            return Some(ReasonDetail::Invalid);
        }
        match link.prefix {
            Some(prefix) => outside(node, prefix).map(ReasonDetail::Outside),
            None => (!node.facts.own.as_deref().is_some_and(|own| own.is_tcp)).then_some(ReasonDetail::NoConnections),
        }
    }

    fn verdict(&self, position: usize, part: Part, roots: &[Option<Arc<Root>>]) -> GraphStatus {
        let node = &self.nodes[position];
        let own = node.why.clone().or_else(|| self.cycle(position));
        let (state, why) = match (node.rank, &part.refused) {
            (Rank::Root | Rank::Misplaced | Rank::Unreadable, _) if own.is_some() => (DelegationState::Invalid, own),
            (Rank::Root | Rank::Misplaced | Rank::Unreadable, _) => (DelegationState::Valid, None),
            (Rank::Vertex, _) if part.serves || part.connects => (DelegationState::Valid, None),
            (Rank::Vertex, Some(by)) => (DelegationState::Invalid, own.or_else(|| self.refusal(node, *by))),
            (Rank::Vertex, None) => (DelegationState::Orphaned, own),
        };
        let is_live = state == DelegationState::Valid;
        let claims = node.facts.root.as_ref().filter(|_| node.rank == Rank::Root && !is_live);
        GraphStatus {
            state,
            is_root: matches!(node.rank, Rank::Root | Rank::Misplaced),
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

    /// Why this delegation does not accept an object that is good by itself.
    fn refusal(&self, node: &Node<'_>, (by, link): (usize, usize)) -> Option<InvalidReason> {
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

/// The first route of an object that `prefix` does not cover, served ones before those that delegate on.
fn outside(node: &Node<'_>, prefix: &str) -> Option<Outside> {
    let span = node.span?;
    if covers(prefix, span) {
        return None;
    }
    let mut routes = node.facts.prefixes().enumerate();
    let (position, route) = routes.find(|(_, route)| !covers(prefix, route))?;
    Some(Outside { prefix: route.into(), delegates: position >= node.facts.serves.len() })
}

fn failing(link: &ComponentLink<'_>, because: ReasonDetail) -> Failing {
    Failing { route: link.route, target: link.target.clone(), because }
}

fn root(node: &Node<'_>) -> Option<Arc<Root>> {
    let host = node.facts.root.as_ref().filter(|_| node.rank == Rank::Root && node.why.is_none())?;
    Some(Arc::new(Root { object_ref: node.facts.object_ref.clone(), host: host.clone() }))
}

/// Adds to the first few roots of an object those of another.
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
