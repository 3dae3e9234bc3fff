//! Load balancing strategies that contradict each other: with `strictDocument`, all valid objects that use one port of a Service with
//! different strategies are invalid, as the design document prints it. Orphaned and invalid objects have no effect.

use super::component::Component;
use super::graph_view::GraphView;
use super::verdict::{DelegationState, GraphStatus, InvalidReason};
use crate::cluster::delegation_facts::DelegationFacts;
use crate::kinds::ObjectRef;

/// The objects that use a port of a Service of `facts` with another strategy.
pub(super) fn rivals<'c>(facts: &DelegationFacts, view: GraphView<'_, 'c>) -> impl Iterator<Item = &'c ObjectRef> {
    let class = facts.class.as_deref();
    let others = facts.uses.iter().flat_map(move |used| {
        let service = (&*facts.object_ref.namespace, used.name);
        view.cluster.users_with_other_strategy(service, i64::from(used.port), class, used.strategy)
    });
    others.map(|(_, other)| other).filter(|other| **other != *facts.object_ref)
}

/// Sets the reason of each object that is valid and uses another strategy than another valid object. Returns whether there is any.
pub(super) fn refuse(component: &mut Component<'_>, verdicts: &[GraphStatus], view: GraphView<'_, '_>) -> bool {
    let is_valid = |position: usize| verdicts[position].state == DelegationState::Valid;
    let rival = |position: usize| {
        let facts = component.nodes[position].facts;
        rivals(facts, view).filter(|other| component.position(other).is_some_and(is_valid)).min()
    };
    let valid = (0..component.nodes.len()).filter(|position| is_valid(*position));
    let refused: Vec<(usize, ObjectRef)> =
        valid.filter_map(|position| Some((position, rival(position)?.clone()))).collect();
    let has_any = !refused.is_empty();
    for (position, rival) in refused {
        component.nodes[position].why = Some(InvalidReason::StrategyConflict(rival));
    }
    has_any
}
