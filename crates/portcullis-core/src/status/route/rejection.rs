//! Why no listener of a parent accepts a route, in words.

use super::parents::OwnParent;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ParentFacts};
use crate::kinds::protocol::{PROTOCOLS, fits_protocol};
use crate::kinds::{Kind, ObjectRef};
use crate::message::hidden;
use crate::routing::attachment::{NotAllowedReason, suits_kind};
use crate::status::StatusContext;

/// The parentRef names no listener of the parent.
const NO_MATCHING_PARENT: &str = "NoMatchingParent";
/// The listeners do not allow the route.
pub const NOT_ALLOWED: &str = "NotAllowedByListeners";
/// The maximum number of names in a message.
const MAX_LISTED: usize = 8;

/// The reason and the message for a route that every listener of the parent rejects.
pub fn by_listeners(
    rejected_at: NotAllowedReason,
    parent: &OwnParent<'_>,
    route: &GatewayRouteFacts,
    context: &StatusContext<'_>,
) -> (&'static str, String) {
    let (target, own) = (&parent.target, &parent.parent.object_ref);
    let kind = route.object_ref.kind.api().kind;
    let section = target.section.as_deref().unwrap_or_default();
    match rejected_at {
        NotAllowedReason::OtherSection if section.is_empty() => (NO_MATCHING_PARENT, format!("{own} has no listeners")),
        NotAllowedReason::OtherSection => {
            let names = parent.parent.listeners.iter().map(|listener| &*listener.name);
            let names = if shown(own, context) { format!(" (it has {})", listed(names)) } else { String::new() };
            (NO_MATCHING_PARENT, format!("{own} has no listener `{section}`{names}"))
        }
        NotAllowedReason::OtherPort => {
            let port = target.port.unwrap_or_default();
            (NO_MATCHING_PARENT, format!("no listener of {own} that the parentRef names has port {port}"))
        }
        NotAllowedReason::Kind => (
            NOT_ALLOWED,
            format!("no listener of {own} supports {kind}s: {}", fix_of_kind(parent, route.object_ref.kind)),
        ),
        NotAllowedReason::Namespace => {
            let namespace = &route.object_ref.namespace;
            let fix = "extend its allowedRoutes.namespaces";
            (NOT_ALLOWED, format!("no listener of {own} allows {kind}s of namespace `{namespace}`: {fix}"))
        }
        NotAllowedReason::Hostname | NotAllowedReason::Unknown => {
            let message = format!("no hostname matches a listener of {own}: use one that a listener serves");
            ("NoMatchingListenerHostname", message)
        }
    }
}

/// What helps a route whose kind no listener supports: to name the kind, if a listener that the parentRef names is compatible with it;
/// otherwise only a listener with another protocol or TLS mode.
fn fix_of_kind(parent: &OwnParent<'_>, kind: Kind) -> String {
    let ParentFacts { section, port, .. } = &parent.target;
    let is_named = |listener: &ListenerFacts| {
        section.as_ref().is_none_or(|section| *section == listener.name) && (port.is_none() || *port == listener.port)
    };
    if parent.parent.listeners.iter().any(|listener| is_named(listener) && suits_kind(listener, kind) == Some(true)) {
        return "refer to another listener, or extend its allowedRoutes.kinds".to_owned();
    }
    let protocols = PROTOCOLS.into_iter().filter(|protocol| fits_protocol(protocol, kind) == Some(true));
    let protocols: Vec<&str> = protocols
        .map(|protocol| if (protocol, kind) == ("TLS", Kind::TcpRoute) { "TLS (mode Terminate)" } else { protocol })
        .collect();
    format!("refer to a listener with protocol {}", protocols.join(" or "))
}

/// The message for a route that is younger than `winner`, a route of the other kind with the same host.
pub fn by_other_kind(
    listener: &ListenerFacts,
    winner: &ObjectRef,
    own: &ObjectRef,
    context: &StatusContext<'_>,
) -> String {
    let other = if shown(winner, context) { winner.to_string() } else { hidden(winner.kind.api().kind) };
    let listener =
        if shown(own, context) { format!("listener `{}`", listener.name) } else { format!("a listener of {own}") };
    format!("{other} has the same host on {listener} and takes precedence: use different hosts")
}

/// The message for a route of which it is not known whether a listener accepts it.
pub fn not_known(parent: &OwnParent<'_>, route: &GatewayRouteFacts) -> String {
    let (own, namespace) = (&parent.parent.object_ref, &route.object_ref.namespace);
    format!("the labels of namespace `{namespace}`, by which listeners of {own} select, are not known")
}

/// The message for a route that the parent accepts.
pub fn accepted(own: &ObjectRef, accepting: &[&ListenerFacts], context: &StatusContext<'_>) -> String {
    let noun = if accepting.len() == 1 { "listener" } else { "listeners" };
    match shown(own, context) {
        true => format!("accepted by {noun} {}", listed(accepting.iter().map(|listener| &*listener.name))),
        false => format!("accepted by {} {noun}", accepting.len()),
    }
}

/// Whether the status may contain the names of `other` and of its parts.
fn shown(other: &ObjectRef, context: &StatusContext<'_>) -> bool {
    context.config.reveal_other_namespaces || other.namespace == context.cluster.this().namespace
}

/// The first names, separated by commas.
fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut shown: Vec<String> = names.take(MAX_LISTED + 1).map(|name| format!("`{name}`")).collect();
    if shown.len() > MAX_LISTED {
        shown[MAX_LISTED] = "…".to_owned();
    }
    shown.join(", ")
}
