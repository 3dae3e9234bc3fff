//! Which listeners of a parent take a route, and why the others do not: the attachment procedure of the Gateway API, step by step.

use crate::cluster::gateway_facts::{From, GatewayRouteFacts, ListenerFacts, ListenersFacts, ParentFacts};
use crate::cluster::{Lookup, Overlay};
use crate::kinds::Kind;
use crate::kinds::reference::GATEWAY_GROUP;
use crate::matching::{Host, host::Depth};

/// What one parent reference comes to.
#[derive(Debug, Clone, PartialEq)]
pub enum Attachment<'c> {
    /// Nobody knows whether the parent exists.
    Unknown,
    /// The parent does not exist.
    NoParent,
    /// The parent exists, and of each listener it is told whether it takes the route.
    Decided {
        /// The parent.
        parent: &'c ListenersFacts,
        /// Its listeners in document order, each with why it does not take the route.
        listeners: Vec<(&'c ListenerFacts, Option<Refusal>)>,
    },
}

/// Why a listener does not take a route, in the order in which it is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Refusal {
    /// The reference means another section (`NoMatchingParent`).
    OtherSection,
    /// The reference means another port (`NoMatchingParent`).
    OtherPort,
    /// The listener does not take the kind (`NotAllowedByListeners`).
    Kind,
    /// The listener does not take routes of the namespace (`NotAllowedByListeners`).
    Namespace,
    /// They have no host in common (`NoMatchingListenerHostname`).
    Hostname,
    /// It hangs on something that is not known.
    Unknown,
}

impl<'c> Attachment<'c> {
    /// What `reference` of `route` comes to.
    pub fn of(route: &GatewayRouteFacts, reference: &ParentFacts, cluster: &Overlay<'c>) -> Self {
        match cluster.listeners(&reference.target) {
            Lookup::Unknown => Self::Unknown,
            Lookup::Absent => Self::NoParent,
            Lookup::Found(parent) => {
                let decide = |listener| (listener, refusal(route, reference, parent, listener, cluster));
                Self::Decided { parent, listeners: parent.listeners.iter().map(decide).collect() }
            }
        }
    }

    /// The listeners that take the route.
    pub fn accepting(&self) -> impl Iterator<Item = &'c ListenerFacts> {
        let listeners = match self {
            Self::Decided { listeners, .. } => listeners.as_slice(),
            Self::Unknown | Self::NoParent => &[],
        };
        listeners.iter().filter(|(_, refusal)| refusal.is_none()).map(|(listener, _)| *listener)
    }

    /// Why no listener takes the route: of those that came furthest. `None` where one takes it, or may.
    pub fn refusal(&self) -> Option<Refusal> {
        let Self::Decided { listeners, .. } = self else { return None };
        let furthest = listeners
            .iter()
            .map(|(_, refusal)| *refusal)
            .max_by_key(|refusal| refusal.map_or(u8::MAX, |refusal| refusal as u8));
        match furthest {
            // A parent without listeners has no section that could be meant.
            None => Some(Refusal::OtherSection),
            Some(None | Some(Refusal::Unknown)) => None,
            Some(refusal) => refusal,
        }
    }
}

/// Whether a listener of `parent` takes `route` by one of its references.
pub fn takes(
    listener: &ListenerFacts,
    parent: &ListenersFacts,
    route: &GatewayRouteFacts,
    cluster: &Overlay<'_>,
) -> bool {
    let mut references = route.parents.iter().filter(|reference| reference.target == parent.place);
    references.any(|reference| refusal(route, reference, parent, listener, cluster).is_none())
}

fn refusal(
    route: &GatewayRouteFacts,
    reference: &ParentFacts,
    parent: &ListenersFacts,
    listener: &ListenerFacts,
    cluster: &Overlay<'_>,
) -> Option<Refusal> {
    if reference.section.as_deref().is_some_and(|section| section != &*listener.name) {
        return Some(Refusal::OtherSection);
    }
    if reference.port.is_some() && reference.port != listener.port {
        return Some(Refusal::OtherPort);
    }
    if !takes_kind(listener, route.place.kind) {
        return Some(Refusal::Kind);
    }
    match admits(&listener.from, &parent.place.namespace, &route.place.namespace, cluster) {
        Some(true) => {}
        Some(false) => return Some(Refusal::Namespace),
        None => return Some(Refusal::Unknown),
    }
    let has_hosts = matches!(route.place.kind, Kind::HttpRoute | Kind::GrpcRoute | Kind::TlsRoute);
    let meets = |host: &Host<'_>| host.meets(&listener.host, Depth::AnyLabels);
    (has_hosts && !route.hosts.is_empty() && !route.hosts.iter().any(meets)).then_some(Refusal::Hostname)
}

/// Whether `listener` takes routes of `kind`: by its protocol, and by its `allowedRoutes.kinds` where they are given.
pub fn takes_kind(listener: &ListenerFacts, kind: Kind) -> bool {
    let is_named = || listener.kinds.iter().any(|(group, own)| **group == *GATEWAY_GROUP && **own == *kind.api().kind);
    fits_protocol(&listener.protocol, kind) != Some(false) && (listener.kinds.is_empty() || is_named())
}

/// Whether routes of `kind` fit a protocol; `None` for a protocol of the implementation's own.
pub fn fits_protocol(protocol: &str, kind: Kind) -> Option<bool> {
    match protocol {
        "HTTP" | "HTTPS" => Some(matches!(kind, Kind::HttpRoute | Kind::GrpcRoute)),
        "TLS" => Some(matches!(kind, Kind::TlsRoute | Kind::TcpRoute)),
        "TCP" => Some(kind == Kind::TcpRoute),
        "UDP" => Some(kind == Kind::UdpRoute),
        _ => None,
    }
}

/// Whether what lives in `own` and admits `from` admits the namespace `other`; `None` where that hangs on labels that are not known.
pub fn admits(from: &From, own: &str, other: &str, cluster: &Overlay<'_>) -> Option<bool> {
    match from {
        From::All => Some(true),
        From::Same => Some(own == other),
        From::None => Some(false),
        From::Unknown => None,
        From::Selector(selector) => match cluster.namespace(other) {
            Lookup::Found(namespace) => Some(selector.selects(|key| namespace.label(key))),
            // An object is written into a namespace before we hear of it.
            Lookup::Absent | Lookup::Unknown => None,
        },
    }
}

/// The hosts under which `listener` would send requests to `route`: what the two have in common.
pub fn common_hosts<'h>(route: &'h GatewayRouteFacts, listener: &'h ListenerFacts) -> Vec<Host<'h>> {
    match route.hosts.is_empty() {
        true => vec![listener.host.borrowed()],
        false => route.hosts.iter().filter_map(|host| host.intersection(&listener.host, Depth::AnyLabels)).collect(),
    }
}
