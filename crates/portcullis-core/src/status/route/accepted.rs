//! Whether a parent accepts a route, by the attachment procedure of the Gateway API.

use std::sync::Arc;

use super::parents::OwnParent;
use super::rejection::{self, NOT_ALLOWED};
use crate::checks::route_faults::RouteFaults;
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::{AllowedNamespaces, GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::kinds::protocol::is_supported;
use crate::kinds::{Kind, ObjectRef};
use crate::routing::attachment::{Attachment, NotAllowedReason, allows_set};
use crate::routing::kind_clash;
use crate::status::responsibility::gateway_of;
use crate::status::{Condition, ConditionStatus, Section, StatusContext};

/// The type of the condition.
const ACCEPTED: &str = "Accepted";

/// The reason for a route that is younger than a route of the other kind with the same host. The API defines none; this
/// is the word it uses for listeners that compete for a host.
const HOSTNAME_CONFLICT: &str = "HostnameConflict";

/// The result for one parent.
#[derive(Debug)]
pub struct Acceptance {
    /// The condition `Accepted`.
    pub condition: Condition,
    /// The listeners that accept the route; empty unless the condition is true.
    pub sections: Vec<Section>,
}

impl Acceptance {
    /// Whether the parent accepts the route.
    pub fn is_accepted(&self) -> bool {
        self.condition.status == ConditionStatus::True
    }

    fn rejected(reason: &'static str, message: String) -> Self {
        Self { condition: Condition::new(ACCEPTED, false, reason, message), sections: Vec::new() }
    }

    fn pending(message: String) -> Self {
        let condition = Condition::new(ACCEPTED, ConditionStatus::Unknown, "Pending", message);
        Self { condition, sections: Vec::new() }
    }
}

/// Whether `parent` accepts the route.
pub fn of(
    parent: &OwnParent<'_>,
    route: &GatewayRouteFacts,
    faults: &RouteFaults,
    context: &StatusContext<'_>,
) -> Acceptance {
    let attachment = Attachment::of(route, &parent.target, &context.cluster);
    let attachment = if context.is_specification() { attachment } else { supported(attachment) };
    if let Some(rejected_at) = attachment.refusal() {
        let (reason, message) = rejection::by_listeners(rejected_at, parent, route, context);
        return Acceptance::rejected(reason, message);
    }
    let own = &parent.parent.object_ref;
    let is_set_allowed = is_set_allowed(parent.parent, context);
    if is_set_allowed == Some(false) {
        let message = format!(
            "the Gateway of {own} does not allow ListenerSets of namespace `{}`: extend its allowedListeners",
            own.namespace
        );
        return Acceptance::rejected(NOT_ALLOWED, message);
    }
    if let Some((reason, message)) = faults.rejection(&parent.indexes) {
        return Acceptance::rejected(reason, message);
    }
    let (accepting, winner) = accepting(&attachment, parent.parent, route, context);
    match winner {
        _ if !accepting.is_empty() && is_set_allowed.is_none() => {
            let namespace = &own.namespace;
            let message = format!("the labels of namespace `{namespace}`, by which the Gateway selects, are not known");
            Acceptance::pending(message)
        }
        _ if !accepting.is_empty() => accepted(parent.parent, &accepting, context),
        Some((listener, winner)) if !may_be_accepted(&attachment) => {
            Acceptance::rejected(HOSTNAME_CONFLICT, rejection::by_other_kind(listener, winner, own, context))
        }
        _ => Acceptance::pending(rejection::not_known(parent, route)),
    }
}

/// The attachment to a parent of this controller: a listener with a protocol that Portcullis does not support accepts no kind of
/// route, and one whose `from` has an unknown value no namespace, whatever another implementation would do.
fn supported(mut attachment: Attachment<'_>) -> Attachment<'_> {
    let Attachment::Decided { listeners, .. } = &mut attachment else { return attachment };
    for (listener, refusal) in listeners {
        let unsupported = match listener.from {
            _ if !is_supported(&listener.protocol) => NotAllowedReason::Kind,
            AllowedNamespaces::Unknown => NotAllowedReason::Namespace,
            _ => continue,
        };
        if refusal.is_none_or(|refusal| refusal > unsupported) {
            *refusal = Some(unsupported);
        }
    }
    attachment
}

/// Whether it is not known of some listener whether it accepts the route.
fn may_be_accepted(attachment: &Attachment<'_>) -> bool {
    let Attachment::Decided { listeners, .. } = attachment else { return false };
    listeners.iter().any(|(_, refusal)| *refusal == Some(NotAllowedReason::Unknown))
}

/// Whether the Gateway allows the ListenerSet to add listeners; true for a Gateway itself, and `None` if that is not
/// known.
fn is_set_allowed(parent: &ListenersFacts, context: &StatusContext<'_>) -> Option<bool> {
    if parent.object_ref.kind != Kind::ListenerSet {
        return Some(true);
    }
    let Lookup::Found(gateway) = gateway_of(parent, context) else { return None };
    allows_set(gateway, parent, &context.cluster)
}

/// A listener, and the route of another kind because of which it does not accept the route.
type Keeper<'h> = (&'h ListenerFacts, &'h ObjectRef);

/// The listeners that accept the route, and the first one that does not because of a route of another kind.
fn accepting<'h>(
    attachment: &Attachment<'h>,
    parent: &'h ListenersFacts,
    route: &'h GatewayRouteFacts,
    context: &'h StatusContext<'_>,
) -> (Vec<&'h ListenerFacts>, Option<Keeper<'h>>) {
    let (mut all, mut first) = (Vec::new(), None);
    for listener in attachment.accepting() {
        match kind_clash::winner(route, parent, listener, &context.cluster) {
            None => all.push(listener),
            Some(winner) => first = first.or(Some((listener, &winner.object_ref))),
        }
    }
    (all, first)
}

fn accepted(parent: &ListenersFacts, accepting: &[&ListenerFacts], context: &StatusContext<'_>) -> Acceptance {
    let object_ref = Arc::new(parent.object_ref.clone());
    let message = rejection::accepted(&object_ref, accepting, context);
    let sections = accepting.iter().map(|listener| (Arc::clone(&object_ref), listener.name.clone())).collect();
    Acceptance { condition: Condition::new(ACCEPTED, true, ACCEPTED, message), sections }
}
