//! The condition `ResolvedRefs` of Gateways and listeners.

use super::{Condition, ConditionStatus, StatusContext};
use crate::routing::obstacle::Obstacle;
use crate::routing::references::listed;

/// Why a reference does not resolve, from the perspective of the status.
pub(super) fn seen(unresolved: Obstacle, context: &StatusContext<'_>) -> Obstacle {
    if context.is_specification() { unresolved.of_any_implementation() } else { unresolved }
}

/// The condition `ResolvedRefs` for these references.
pub(super) fn of(unresolved: &[Obstacle]) -> Condition {
    let mut failed = unresolved.iter().filter(|unresolved| unresolved.reason.is_some()).peekable();
    match failed.peek().and_then(|first| first.reason) {
        Some(reason) => Condition::new("ResolvedRefs", false, reason, listed(failed))
            .or_because(unresolved.iter().filter_map(|unresolved| unresolved.reason)),
        None if unresolved.is_empty() => {
            Condition::new("ResolvedRefs", true, "ResolvedRefs", "all references are resolved")
        }
        None => Condition::new("ResolvedRefs", ConditionStatus::Unknown, "Pending", listed(unresolved)),
    }
}
