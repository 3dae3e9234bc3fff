//! The status of a ListenerSet.

use serde_json::Map;

use super::acceptance::{by_listeners, invalid, not_programmed};
use super::gateway::{GatewayState, NO_LISTENER_PROGRAMMED};
use super::listener::{self, Listening};
use super::{Condition, ConditionStatus, Conditions, DesiredStatus, Entries, StatusContext, responsibility};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::{AllowedNamespaces, ListenersFacts};
use crate::kinds::ListenerSet;
use crate::routing::attachment::allows_set;
use crate::routing::listener_tree::{ListenerTree, Member};

/// The status of a ListenerSet; `None` if its Gateway does not exist, or if another controller, or none, is responsible
/// for it.
pub fn of(set: &ListenerSet<'_>, context: &StatusContext<'_>) -> Option<DesiredStatus> {
    let facts = ListenersFacts::of_set(set);
    let Lookup::Found(class) = responsibility::class_of(&facts, context) else { return None };
    let Lookup::Found(gateway) = responsibility::gateway_of(&facts, context) else { return None };
    let tree = ListenerTree::of(gateway, Some(&facts), context.tls_modes(), &context.cluster);
    let state = GatewayState::of(&tree, class, context);
    let alone = Member { facts: &facts, is_certain: false, losses: vec![None; facts.listeners.len()] };
    let member = tree.member(&facts).unwrap_or(&alone);
    let rejection = rejection(&facts, gateway, &state, context);
    let listeners = match &rejection {
        Some(rejection) => vec![rejection.clone(); facts.listeners.len()],
        None => listener::accepted(&tree, member, context),
    };
    let names = facts.listeners.iter().map(|listener| &*listener.name);
    let accepted = rejection.unwrap_or_else(|| {
        let accepted = by_listeners(names.zip(listeners.iter().map(|condition| condition.status)));
        let is_rejected = accepted.status == ConditionStatus::False;
        match !is_rejected && listener::are_unserved(&tree, member, &listeners, context) {
            true => Condition::new("Accepted", false, "ListenersNotValid", NO_LISTENER_PROGRAMMED),
            false => accepted,
        }
    });
    let programmed = programmed(&accepted, &state);
    let entries = Listening { tree: &tree, member, accepted: &listeners, programmed: &programmed, context };
    let entries = Some(Entries::Listeners(entries.entries()));
    let conditions = Conditions::from(vec![accepted, programmed]);
    Some(DesiredStatus { generation: set.metadata.generation.0, conditions, fields: Map::new(), entries })
}

/// The condition `Accepted` of a set that is rejected as a whole, or that may be.
fn rejection(
    set: &ListenersFacts,
    gateway: &ListenersFacts,
    state: &GatewayState<'_>,
    context: &StatusContext<'_>,
) -> Option<Condition> {
    let own = &*set.object_ref.namespace;
    let allowed = allows_set(gateway, set, &context.cluster);
    if allowed == Some(false) {
        let message = not_allowed(&gateway.allowed_listeners, gateway, own);
        return Some(Condition::new("Accepted", false, "NotAllowed", message));
    }
    if let Some(error) = &set.error {
        return Some(Condition { reason: "Invalid".into(), ..invalid(error) });
    }
    let pending = |message: String| Some(Condition::new("Accepted", ConditionStatus::Unknown, "Pending", message));
    match state.accepted.status {
        ConditionStatus::False => {
            let message = format!("{} is not accepted: {}", gateway.object_ref, state.accepted.message);
            Some(Condition::new("Accepted", false, "ParentNotAccepted", message))
        }
        ConditionStatus::Unknown => {
            pending(format!("it is not known whether {} is accepted: {}", gateway.object_ref, state.accepted.message))
        }
        ConditionStatus::True if allowed.is_none() => {
            pending(format!("it is not known whether {} allows ListenerSets of namespace {own}", gateway.object_ref))
        }
        ConditionStatus::True => None,
    }
}

fn not_allowed(allowed: &AllowedNamespaces, gateway: &ListenersFacts, own: &str) -> String {
    let gateway = &gateway.object_ref;
    match allowed {
        AllowedNamespaces::None => format!("{gateway} allows no ListenerSets: set its spec.allowedListeners"),
        AllowedNamespaces::Same => {
            format!("{gateway} only allows ListenerSets of its own namespace: move this one there")
        }
        _ => format!(
            "the selector in spec.allowedListeners of {gateway} does not match namespace {own}: label the namespace, or \
             change the selector"
        ),
    }
}

/// `Programmed`: that of the Gateway, once the set is accepted.
fn programmed(accepted: &Condition, state: &GatewayState<'_>) -> Condition {
    not_programmed(accepted, accepted.reason.clone()).unwrap_or_else(|| match state.programmed.status {
        ConditionStatus::False => {
            let message = format!("the Gateway is not programmed: {}", state.programmed.message);
            Condition::new("Programmed", false, "ParentNotProgrammed", message)
        }
        _ => state.programmed.clone(),
    })
}
