//! Which listeners of a parent accept a route, and why the others do not: the attachment procedure of the Gateway API,
//! step by step.
//!
//! Only the listeners of the parent itself count: a reference to a Gateway never reaches the listeners of its
//! ListenerSets, and a reference to a ListenerSet never reaches those of its Gateway. The procedure ignores properties
//! of the parent that depend on its controller (its class, its status), so its rejections apply to every controller.
//!
//! A route gets as far as the listener that accepts most of it, and only the check of that step reports it.

use crate::cluster::gateway_facts::{AllowedNamespaces, GatewayRouteFacts, ListenerFacts, ListenersFacts, ParentFacts};
use crate::cluster::{Lookup, Overlay};
use crate::kinds::protocol::suits;
use crate::kinds::reference::GATEWAY_GROUP;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::{Host, host::Depth};

/// The result of one parent reference.
#[derive(Debug, Clone, PartialEq)]
pub enum Attachment<'c> {
    /// It is not known whether the parent exists.
    Unknown,
    /// The parent does not exist.
    NoParent,
    /// The parent exists, and each of its listeners either accepts the route or does not.
    Decided {
        /// The parent.
        parent: &'c ListenersFacts,
        /// Its listeners in document order, each with the reason why it does not accept the route, or `None` if it
        /// does.
        listeners: Vec<(&'c ListenerFacts, Option<NotAllowedReason>)>,
    },
}

/// The reason why a listener does not accept a route. The order is that of the steps of the procedure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotAllowedReason {
    /// The reference names another section (`NoMatchingParent`).
    OtherSection,
    /// The reference names another port (`NoMatchingParent`).
    OtherPort,
    /// The listener does not accept the kind (`NotAllowedByListeners`).
    Kind,
    /// The listener does not accept routes of the namespace (`NotAllowedByListeners`).
    Namespace,
    /// Route and listener have no host in common (`NoMatchingListenerHostname`).
    Hostname,
    /// The result depends on something that is not known.
    Unknown,
}

/// The properties of a route that decide whether it attaches.
#[derive(Debug, Clone, Copy)]
pub struct RouteSubject<'r> {
    /// The kind.
    pub kind: Kind,
    /// The namespace.
    pub namespace: &'r str,
    /// The hosts; empty if the route accepts every host.
    pub hosts: &'r [Host<'r>],
}

impl<'r> std::convert::From<&'r GatewayRouteFacts> for RouteSubject<'r> {
    fn from(route: &'r GatewayRouteFacts) -> Self {
        Self { kind: route.object_ref.kind, namespace: &route.object_ref.namespace, hosts: &route.hosts }
    }
}

impl<'c> Attachment<'c> {
    /// Returns the result of `reference` for a route.
    pub fn of<'r>(route: impl Into<RouteSubject<'r>>, reference: &ParentFacts, cluster: &Overlay<'c>) -> Self {
        let route = route.into();
        match cluster.listeners(&reference.target) {
            Lookup::Unknown => Self::Unknown,
            Lookup::Absent => Self::NoParent,
            Lookup::Found(parent) => {
                let decide = |listener| (listener, refusal(route, reference, parent, listener, cluster));
                Self::Decided { parent, listeners: parent.listeners.iter().map(decide).collect() }
            }
        }
    }

    /// The listeners that accept the route.
    pub fn accepting(&self) -> impl Iterator<Item = &'c ListenerFacts> {
        let listeners = match self {
            Self::Decided { listeners, .. } => listeners.as_slice(),
            Self::Unknown | Self::NoParent => &[],
        };
        listeners.iter().filter(|(_, refusal)| refusal.is_none()).map(|(listener, _)| *listener)
    }

    /// The reason why no listener accepts the route, taken from the listener that the route got furthest with. `None`
    /// if a listener accepts it or may accept it.
    pub fn refusal(&self) -> Option<NotAllowedReason> {
        let Self::Decided { listeners, .. } = self else { return None };
        let furthest = listeners
            .iter()
            .map(|(_, refusal)| *refusal)
            .max_by_key(|refusal| refusal.map_or(u8::MAX, |refusal| refusal as u8));
        match furthest {
            // A parent without listeners has no section that the reference could name.
            None => Some(NotAllowedReason::OtherSection),
            Some(None | Some(NotAllowedReason::Unknown)) => None,
            Some(refusal) => refusal,
        }
    }
}

/// The Gateways to which a route attaches because it uses the default Gateways (GEP-3793).
pub fn default_parents(uses_defaults: bool, cluster: &Overlay<'_>) -> impl Iterator<Item = ParentFacts> {
    let gateways = uses_defaults.then(|| cluster.default_gateways()).into_iter().flatten();
    gateways.map(|gateway| whole(&gateway.object_ref))
}

/// A reference to all listeners of a Gateway.
fn whole(gateway: &ObjectRef) -> ParentFacts {
    ParentFacts { target: gateway.clone(), section: None, port: None }
}

/// Whether a listener of `parent` accepts `route`, either by one of its references or because the Gateway is a default
/// one.
pub fn accepts(
    listener: &ListenerFacts,
    parent: &ListenersFacts,
    route: &GatewayRouteFacts,
    cluster: &Overlay<'_>,
) -> bool {
    refusals(listener, parent, route, cluster).any(|refusal| refusal.is_none())
}

/// Like [`accepts`], and true if that is not known.
pub fn may_accept(
    listener: &ListenerFacts,
    parent: &ListenersFacts,
    route: &GatewayRouteFacts,
    cluster: &Overlay<'_>,
) -> bool {
    refusals(listener, parent, route, cluster).any(|refusal| matches!(refusal, None | Some(NotAllowedReason::Unknown)))
}

/// Why a listener of `parent` does not accept `route`, for each of its references to the parent.
fn refusals<'r>(
    listener: &'r ListenerFacts,
    parent: &'r ListenersFacts,
    route: &'r GatewayRouteFacts,
    cluster: &'r Overlay<'_>,
) -> impl Iterator<Item = Option<NotAllowedReason>> {
    let references = route.parents.iter().filter(|reference| reference.target == parent.object_ref);
    let default = (route.uses_defaults && parent.is_default).then(|| whole(&parent.object_ref));
    let named = references.map(move |reference| refusal(route, reference, parent, listener, cluster));
    named.chain(default.map(move |default| refusal(route, &default, parent, listener, cluster)))
}

/// A parent on which no listener lets a route get past one step.
#[derive(Debug, Clone, PartialEq)]
pub struct RejectedAt<'c> {
    /// The parent.
    pub parent: &'c ListenersFacts,
    /// The listeners that rejected the route at that step. The others rejected it at an earlier step.
    pub by: Vec<&'c ListenerFacts>,
}

impl RejectedAt<'_> {
    /// The results of `describe` for the first few of these listeners, separated by commas and without duplicates.
    pub fn listed(&self, describe: impl Fn(&ListenerFacts) -> String) -> String {
        let mut descriptions: Vec<String> = Vec::new();
        for listener in self.by.iter().take(MAX_LISTED) {
            let description = describe(listener);
            if !descriptions.contains(&description) {
                descriptions.push(description);
            }
        }
        if self.by.len() > MAX_LISTED {
            descriptions.push("…".to_owned());
        }
        descriptions.join(", ")
    }
}

/// The maximum number of listeners in a message.
const MAX_LISTED: usize = 8;

/// The parent of `reference` if the route is rejected exactly at `step`, as [`Attachment::refusal`] would return. Later
/// steps are not evaluated.
pub fn stopped_at<'c>(
    step: NotAllowedReason,
    route: &RouteSubject<'_>,
    reference: &ParentFacts,
    cluster: &Overlay<'c>,
) -> Option<RejectedAt<'c>> {
    let Lookup::Found(parent) = cluster.listeners(&reference.target) else { return None };
    let mut by = Vec::new();
    for listener in &parent.listeners {
        match refusal_up_to(step, route, reference, parent, listener, cluster) {
            None | Some(NotAllowedReason::Unknown) => return None,
            Some(refusal) if refusal == step => by.push(listener),
            Some(_) => {}
        }
    }
    (!by.is_empty()).then_some(RejectedAt { parent, by })
}

/// Why `listener` does not accept the route.
fn refusal<'r>(
    route: impl Into<RouteSubject<'r>>,
    reference: &ParentFacts,
    parent: &ListenersFacts,
    listener: &ListenerFacts,
    cluster: &Overlay<'_>,
) -> Option<NotAllowedReason> {
    refusal_up_to(NotAllowedReason::Hostname, &route.into(), reference, parent, listener, cluster)
}

/// Why `listener` does not accept the route, without evaluating the steps after `last`.
fn refusal_up_to(
    last: NotAllowedReason,
    route: &RouteSubject<'_>,
    reference: &ParentFacts,
    parent: &ListenersFacts,
    listener: &ListenerFacts,
    cluster: &Overlay<'_>,
) -> Option<NotAllowedReason> {
    if reference.section.as_deref().is_some_and(|section| section != &*listener.name) {
        return Some(NotAllowedReason::OtherSection);
    }
    if last >= NotAllowedReason::OtherPort && reference.port.is_some() && reference.port != listener.port {
        return Some(NotAllowedReason::OtherPort);
    }
    if last >= NotAllowedReason::Kind {
        match takes_kind(listener, route.kind) {
            Some(true) => {}
            Some(false) => return Some(NotAllowedReason::Kind),
            None => return Some(NotAllowedReason::Unknown),
        }
    }
    if last >= NotAllowedReason::Namespace {
        match allows_namespace(&listener.from, &parent.object_ref.namespace, route.namespace, cluster) {
            Some(true) => {}
            Some(false) => return Some(NotAllowedReason::Namespace),
            None => return Some(NotAllowedReason::Unknown),
        }
    }
    let overlaps = |host: &Host<'_>| host.overlaps(&listener.host, Depth::AnyLabels);
    (last >= NotAllowedReason::Hostname && !route.hosts.is_empty() && !route.hosts.iter().any(overlaps))
        .then_some(NotAllowedReason::Hostname)
}

/// Whether `listener` accepts routes of `kind`, according to its protocol, its TLS mode, and `allowedRoutes.kinds` if present;
/// `None` if only the implementation of a custom protocol knows.
pub fn takes_kind(listener: &ListenerFacts, kind: Kind) -> Option<bool> {
    let is_named = |(group, own): &(Box<str>, Box<str>)| **group == *GATEWAY_GROUP && **own == *kind.api().kind;
    let is_listed = listener.kinds.is_empty() || listener.kinds.iter().any(is_named);
    match suits_kind(listener, kind) {
        None if listener.kinds.is_empty() => None,
        suits => Some(is_listed && suits != Some(false)),
    }
}

/// Whether routes of `kind` are compatible with the protocol and the TLS mode of `listener`; `None` if only the implementation of a
/// custom protocol knows.
pub fn suits_kind(listener: &ListenerFacts, kind: Kind) -> Option<bool> {
    suits(&listener.protocol, listener.passthrough, kind)
}

/// The kinds of routes that `listener` certainly accepts.
pub fn taken_kinds(listener: &ListenerFacts) -> impl Iterator<Item = Kind> {
    ROUTES.into_iter().filter(|kind| takes_kind(listener, *kind) == Some(true))
}

const ROUTES: [Kind; 5] = [Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute];

/// Whether an object in the namespace `own` that allows `from` allows the namespace `other`; `None` if the result
/// depends on unknown labels.
pub fn allows_namespace(from: &AllowedNamespaces, own: &str, other: &str, cluster: &Overlay<'_>) -> Option<bool> {
    match from {
        AllowedNamespaces::All => Some(true),
        AllowedNamespaces::Same => Some(own == other),
        AllowedNamespaces::None => Some(false),
        AllowedNamespaces::Unknown => None,
        AllowedNamespaces::Selector(selector) => match cluster.namespace(other) {
            Lookup::Found(namespace) => selector.selects(other, Some(namespace)),
            // A namespace that the view does not show may exist: an object can be created in it before the watch
            // delivers it.
            Lookup::Absent | Lookup::Unknown => selector.selects(other, None),
        },
    }
}

/// Whether `gateway` allows `set` to add listeners to it; `None` if that depends on unknown labels.
pub fn allows_set(gateway: &ListenersFacts, set: &ListenersFacts, cluster: &Overlay<'_>) -> Option<bool> {
    let (own, other) = (&gateway.object_ref.namespace, &set.object_ref.namespace);
    allows_namespace(&gateway.allowed_listeners, own, other, cluster)
}

/// The hosts for which `listener` would send requests to `route`: the intersections of their hosts.
pub fn common_hosts<'h>(route: &'h GatewayRouteFacts, listener: &'h ListenerFacts) -> Vec<Host<'h>> {
    match route.hosts.is_empty() {
        true => vec![listener.host.borrowed()],
        false => route.hosts.iter().filter_map(|host| host.intersection(&listener.host, Depth::AnyLabels)).collect(),
    }
}
