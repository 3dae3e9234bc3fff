//! Load balancing strategies that contradict each other: with `strictDocument`, all valid objects that use one port of a Service with
//! different strategies are invalid, as the design document prints it. Orphaned and invalid objects have no effect.

use super::component::Component;
use super::graph_view::GraphView;
use super::verdict::{DelegationState, GraphStatus, InvalidReason};
use crate::kinds::ObjectRef;

/// Sets the reason of each object that is valid and uses another strategy than another valid object. Returns whether there is any.
pub(super) fn refuse(component: &mut Component<'_>, verdicts: &[GraphStatus], view: GraphView<'_, '_>) -> bool {
    let is_valid = |position: usize| verdicts[position].state == DelegationState::Valid;
    let rival = |position: usize| {
        let facts = component.nodes[position].facts;
        view.strategy_rivals(facts).filter(|other| component.position(other).is_some_and(is_valid)).min()
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
