//! The status of a route of the Gateway API: one entry for each reference to a parent of this controller.

mod accepted;
mod parents;
mod rejection;
mod resolved_refs;

use parents::{OwnParent, Parents};

use super::{Condition, Conditions, DesiredStatus, Entries, Evaluation, OwnEntries, ParentEntry, StatusContext};
use crate::checks::route_faults::RouteFaults;
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::kinds::walk::RouteParts;
use crate::kinds::{Object, Route};

/// The condition that exists only while some rules are dropped.
const PARTIALLY_INVALID: &str = "PartiallyInvalid";

/// The status of a route, and the listeners that accept it. A route without a parent of this controller has no entry,
/// and entries that this controller wrote earlier are removed.
pub fn of(object: &Object<'_>, route: Route<'_, '_>, context: &StatusContext<'_>) -> Evaluation {
    let facts = GatewayRouteFacts::without_matches(&route);
    let Parents { own, is_complete } = Parents::of(&route, &facts, context);
    let (mut entries, mut attached) = (Vec::with_capacity(own.len()), Vec::new());
    if !own.is_empty() {
        let resolved_refs = resolved_refs::of(&RouteParts::of(route), context);
        let faults = RouteFaults::of(object, &route, &context.cluster, context.config);
        for parent in own {
            let acceptance = accepted::of(&parent, &facts, &faults, context);
            let mut conditions = Conditions::default();
            let dropped = acceptance.is_accepted().then(|| faults.partially_invalid()).flatten();
            conditions.add(acceptance.condition);
            conditions.add(resolved_refs.clone());
            let partially_invalid =
                dropped.map(|(reason, message)| Condition::new(PARTIALLY_INVALID, true, reason, message));
            conditions.add_or_clear(PARTIALLY_INVALID, partially_invalid);
            attached.extend(acceptance.sections);
            let OwnParent { reference, .. } = parent;
            entries.push(ParentEntry { reference, conditions });
        }
    }
    let controller = context.settings().controller_name.value.clone();
    let entries = Some(Entries::Parents(OwnEntries { controller, entries, is_complete }));
    let generation = route.metadata().generation.0;
    let desired = Some(DesiredStatus { generation, entries, ..DesiredStatus::default() });
    Evaluation { desired, attached, ..Evaluation::default() }
}
