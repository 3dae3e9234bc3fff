//! Whether a parent accepts a route, by the attachment procedure of the Gateway API.

use std::sync::Arc;

use super::faults::Faults;
use super::parents::OwnParent;
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::kinds::{Kind, ObjectRef};
use crate::message::hidden;
use crate::routing::attachment::{Attachment, NotAllowedReason, allows_namespace};
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
    faults: &Faults,
    context: &StatusContext<'_>,
) -> Acceptance {
    let attachment = Attachment::of(route, &parent.target, &context.cluster);
    if let Some(reason) = attachment.refusal() {
        return refused(reason, parent, route);
    }
    let set = is_set_allowed(parent.parent, context);
    if set == Some(false) {
        let message = format!(
            "the Gateway of {} does not allow ListenerSets of namespace `{}`: extend its allowedListeners",
            parent.parent.object_ref, parent.parent.object_ref.namespace
        );
        return Acceptance::rejected("NotAllowedByListeners", message);
    }
    let (accepting, keeper) = accepting(&attachment, parent.parent, route, context);
    let may_be_more = matches!(&attachment, Attachment::Decided { listeners, .. }
        if listeners.iter().any(|(_, refusal)| *refusal == Some(NotAllowedReason::Unknown)));
    match (faults.rejection(&parent.indexes), keeper) {
        (Some((reason, message)), _) => Acceptance::rejected(reason, message),
        (None, Some((listener, keeper))) if accepting.is_empty() && !may_be_more => {
            Acceptance::rejected(HOSTNAME_CONFLICT, conflict(listener, keeper, context))
        }
        _ if accepting.is_empty() => Acceptance::pending(unknown(parent, route)),
        _ if set.is_none() => {
            let namespace = &parent.parent.object_ref.namespace;
            let message = format!("the labels of namespace `{namespace}`, by which the Gateway selects, are not known");
            Acceptance::pending(message)
        }
        _ => accepted(parent.parent, &accepting),
    }
}

/// Whether the Gateway allows the ListenerSet to add listeners; true for a Gateway itself, and `None` if that is not
/// known.
fn is_set_allowed(parent: &ListenersFacts, context: &StatusContext<'_>) -> Option<bool> {
    if parent.object_ref.kind != Kind::ListenerSet {
        return Some(true);
    }
    let Lookup::Found(gateway) = gateway_of(parent, context) else { return None };
    let (own, other) = (&gateway.object_ref.namespace, &parent.object_ref.namespace);
    allows_namespace(&gateway.allowed_listeners, own, other, &context.cluster)
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
        match kind_clash::keeper(route, parent, listener, &context.cluster) {
            None => all.push(listener),
            Some(keeper) => first = first.or(Some((listener, &keeper.object_ref))),
        }
    }
    (all, first)
}

fn accepted(parent: &ListenersFacts, accepting: &[&ListenerFacts]) -> Acceptance {
    let object_ref = Arc::new(parent.object_ref.clone());
    let names: Vec<&str> = accepting.iter().map(|listener| &*listener.name).collect();
    let listeners = if names.len() == 1 { "listener" } else { "listeners" };
    let message = format!("accepted by {listeners} {}", listed(&names));
    let sections = accepting.iter().map(|listener| (Arc::clone(&object_ref), listener.name.clone())).collect();
    Acceptance { condition: Condition::new(ACCEPTED, true, ACCEPTED, message), sections }
}

/// The rejection by every listener of the parent.
fn refused(reason: NotAllowedReason, parent: &OwnParent<'_>, route: &GatewayRouteFacts) -> Acceptance {
    let (target, own) = (&parent.target, &parent.parent.object_ref);
    let kind = route.object_ref.kind.api().kind;
    let section = target.section.as_deref().unwrap_or_default();
    let (reason, message) = match reason {
        NotAllowedReason::OtherSection if section.is_empty() => ("NoMatchingParent", format!("{own} has no listeners")),
        NotAllowedReason::OtherSection => {
            let names: Vec<&str> = parent.parent.listeners.iter().map(|listener| &*listener.name).collect();
            ("NoMatchingParent", format!("{own} has no listener `{section}` (it has {})", listed(&names)))
        }
        NotAllowedReason::OtherPort => {
            let port = target.port.unwrap_or_default();
            ("NoMatchingParent", format!("no listener of {own} that the parentRef names has port {port}"))
        }
        NotAllowedReason::Kind => ("NotAllowedByListeners", format!("no listener of {own} accepts the kind {kind}")),
        NotAllowedReason::Namespace => {
            let namespace = &route.object_ref.namespace;
            let message = format!("no listener of {own} allows {kind}s of namespace `{namespace}`");
            ("NotAllowedByListeners", message)
        }
        NotAllowedReason::Hostname | NotAllowedReason::Unknown => {
            ("NoMatchingListenerHostname", format!("no hostname of this {kind} is one that a listener of {own} serves"))
        }
    };
    Acceptance::rejected(reason, message)
}

fn conflict(listener: &ListenerFacts, keeper: &ObjectRef, context: &StatusContext<'_>) -> String {
    let is_hidden = !context.config.reveal_other_namespaces && keeper.namespace != context.cluster.this().namespace;
    let other = if is_hidden { hidden(keeper.kind.api().kind) } else { keeper.to_string() };
    format!("{other} has the same host on listener `{}` and takes precedence: use different hosts", listener.name)
}

/// What is not known.
fn unknown(parent: &OwnParent<'_>, route: &GatewayRouteFacts) -> String {
    let (own, kind) = (&parent.parent.object_ref, route.object_ref.kind.api().kind);
    let namespace = &route.object_ref.namespace;
    format!(
        "it is not known whether a listener of {own} accepts {kind}s of namespace `{namespace}`: that depends on a \
         custom protocol, or on labels of the namespace that are not known"
    )
}

/// The maximum number of names in a message.
const MAX_LISTED: usize = 8;

/// The first names, separated by commas.
fn listed(names: &[&str]) -> String {
    let more = if names.len() > MAX_LISTED { ", …" } else { "" };
    let shown: Vec<String> = names.iter().take(MAX_LISTED).map(|name| format!("`{name}`")).collect();
    shown.join(", ") + more
}
