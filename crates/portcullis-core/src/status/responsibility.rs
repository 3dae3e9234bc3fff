//! The Gateways and ListenerSets that get a status, and that routes get an entry for: those of a GatewayClass of this
//! controller that is accepted. From the perspective of the specification, all of them do.

use super::{StatusContext, parameters};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::{GatewayClassFacts, ListenersFacts};
use crate::kinds::Kind;

/// The class of a Gateway or of the parent of a ListenerSet, if this controller serves and accepts it. `Absent` if it is
/// certain that another controller, or none, is responsible. From the perspective of the specification it is `None`: what the class
/// says is for its controller.
pub fn class_of<'c>(listeners: &ListenersFacts, context: &StatusContext<'c>) -> Lookup<Option<&'c GatewayClassFacts>> {
    match listeners.object_ref.kind {
        Kind::ListenerSet => match gateway_of(listeners, context) {
            Lookup::Found(gateway) => own_class(&gateway.class, context),
            Lookup::Absent => Lookup::Absent,
            Lookup::Unknown => Lookup::Unknown,
        },
        _ => own_class(&listeners.class, context),
    }
}

/// The Gateway to which a ListenerSet adds its listeners.
pub(super) fn gateway_of<'c>(set: &ListenersFacts, context: &StatusContext<'c>) -> Lookup<&'c ListenersFacts> {
    match set.parent.as_ref().filter(|parent| parent.kind == Kind::Gateway) {
        Some(parent) => context.cluster.listeners(parent),
        None => Lookup::Absent,
    }
}

/// The class of this name, if this controller serves and accepts it.
fn own_class<'c>(name: &str, context: &StatusContext<'c>) -> Lookup<Option<&'c GatewayClassFacts>> {
    if context.is_specification() {
        return Lookup::Found(None);
    }
    let is_faulty = |class: &GatewayClassFacts| {
        class.parameters.as_ref().is_some_and(|parameters| parameters::fault(parameters, context).is_some())
    };
    match context.cluster.gateway_class(name) {
        Lookup::Found(class) if !context.settings().is_own(&class.controller) || is_faulty(class) => Lookup::Absent,
        found => found.map(Some),
    }
}
