//! Which listeners of a parent take a route, and why the others do not: the attachment procedure of the Gateway API, step by step.
//!
//! Only the listeners of the parent itself count: a reference to a Gateway never reaches those of its ListenerSets, nor the other way.
//! What a controller makes of the parent (its class, its status) is no part of this: what is refused here is refused by every controller.

use crate::cluster::gateway_facts::{From, GatewayRouteFacts, ListenerFacts, ListenersFacts, ParentFacts};
use crate::cluster::{Lookup, Overlay};
use crate::kinds::protocol::fits_protocol;
use crate::kinds::reference::GATEWAY_GROUP;
use crate::kinds::{Kind, ObjectRef};
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
        listeners: Vec<(&'c ListenerFacts, Option<NotAllowedReason>)>,
    },
}

/// Why a listener does not take a route, in the order in which it is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NotAllowedReason {
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

/// What of a route decides about its attachment.
#[derive(Debug, Clone, Copy)]
pub struct RouteSubject<'r> {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace.
    pub namespace: &'r str,
    /// Its hosts; none where any will do.
    pub hosts: &'r [Host<'r>],
}

impl<'r> std::convert::From<&'r GatewayRouteFacts> for RouteSubject<'r> {
    fn from(route: &'r GatewayRouteFacts) -> Self {
        Self { kind: route.object_ref.kind, namespace: &route.object_ref.namespace, hosts: &route.hosts }
    }
}

impl<'c> Attachment<'c> {
    /// What `reference` of a route comes to.
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

    /// The listeners that take the route.
    pub fn accepting(&self) -> impl Iterator<Item = &'c ListenerFacts> {
        let listeners = match self {
            Self::Decided { listeners, .. } => listeners.as_slice(),
            Self::Unknown | Self::NoParent => &[],
        };
        listeners.iter().filter(|(_, refusal)| refusal.is_none()).map(|(listener, _)| *listener)
    }

    /// Why no listener takes the route: of those that came furthest. `None` where one takes it, or may.
    pub fn refusal(&self) -> Option<NotAllowedReason> {
        let Self::Decided { listeners, .. } = self else { return None };
        let furthest = listeners
            .iter()
            .map(|(_, refusal)| *refusal)
            .max_by_key(|refusal| refusal.map_or(u8::MAX, |refusal| refusal as u8));
        match furthest {
            // A parent without listeners has no section that could be meant.
            None => Some(NotAllowedReason::OtherSection),
            Some(None | Some(NotAllowedReason::Unknown)) => None,
            Some(refusal) => refusal,
        }
    }
}

/// The Gateways to which a route attaches without naming them (GEP-3793).
pub fn default_parents(route: &GatewayRouteFacts, cluster: &Overlay<'_>) -> impl Iterator<Item = ParentFacts> {
    let gateways = route.uses_defaults.then(|| cluster.default_gateways()).into_iter().flatten();
    gateways.map(|gateway| whole(&gateway.object_ref))
}

/// A reference to all listeners of a Gateway.
fn whole(gateway: &ObjectRef) -> ParentFacts {
    ParentFacts { target: gateway.clone(), section: None, port: None }
}

/// Whether a listener of `parent` takes `route` by one of its references, or because the Gateway is a default one.
pub fn matches(
    listener: &ListenerFacts,
    parent: &ListenersFacts,
    route: &GatewayRouteFacts,
    cluster: &Overlay<'_>,
) -> bool {
    let mut references = route.parents.iter().filter(|reference| reference.target == parent.object_ref);
    let is_taken = |reference: &ParentFacts| refusal(route, reference, parent, listener, cluster).is_none();
    references.any(is_taken) || (route.uses_defaults && parent.is_default && is_taken(&whole(&parent.object_ref)))
}

/// Whether some listener takes `route` for requests for `host`; none where that hangs on something that is not known.
pub fn is_served(route: &GatewayRouteFacts, host: &Host<'_>, cluster: &Overlay<'_>) -> Option<bool> {
    let mut is_known = !route.uses_defaults || cluster.is_complete(Kind::Gateway);
    let defaults: Vec<ParentFacts> = default_parents(route, cluster).collect();
    for reference in route.parents.iter().chain(&defaults) {
        match Attachment::of(route, reference, cluster) {
            Attachment::Unknown => is_known = false,
            Attachment::NoParent => {}
            Attachment::Decided { listeners, .. } => {
                for (listener, refusal) in listeners {
                    match refusal {
                        None if listener.host.meets(host, Depth::AnyLabels) => return Some(true),
                        Some(NotAllowedReason::Unknown) => is_known = false,
                        _ => {}
                    }
                }
            }
        }
    }
    is_known.then_some(false)
}

/// A parent none of whose listeners lets a route come further than one step.
#[derive(Debug, Clone, PartialEq)]
pub struct RejectedAt<'c> {
    /// The parent.
    pub parent: &'c ListenersFacts,
    /// Its listeners that stopped the route at that step; the others stopped it before.
    pub by: Vec<&'c ListenerFacts>,
}

impl RejectedAt<'_> {
    /// What `tell` says of each of the first few listeners that stopped the route, without repetition.
    pub fn listed(&self, tell: impl Fn(&ListenerFacts) -> String) -> String {
        let mut told: Vec<String> = Vec::new();
        for listener in self.by.iter().take(MAX_LISTED) {
            let told_of_it = tell(listener);
            if !told.contains(&told_of_it) {
                told.push(told_of_it);
            }
        }
        if self.by.len() > MAX_LISTED {
            told.push("…".to_owned());
        }
        told.join(", ")
    }
}

/// How many listeners a person wants to read of.
const MAX_LISTED: usize = 8;

/// The parent of `reference` where the route is stopped just at `step`, as [`Attachment::refusal`] would say, looking at no more than
/// that takes.
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

/// Why `listener` does not take the route.
fn refusal<'r>(
    route: impl Into<RouteSubject<'r>>,
    reference: &ParentFacts,
    parent: &ListenersFacts,
    listener: &ListenerFacts,
    cluster: &Overlay<'_>,
) -> Option<NotAllowedReason> {
    refusal_up_to(NotAllowedReason::Hostname, &route.into(), reference, parent, listener, cluster)
}

/// Why `listener` does not take the route, no step after `last` being asked.
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
    let meets = |host: &Host<'_>| host.meets(&listener.host, Depth::AnyLabels);
    (last >= NotAllowedReason::Hostname && !route.hosts.is_empty() && !route.hosts.iter().any(meets))
        .then_some(NotAllowedReason::Hostname)
}

/// Whether `listener` takes routes of `kind`: by its protocol, and by its `allowedRoutes.kinds` where they are given; `None` where only
/// the implementation of the protocol knows.
pub fn takes_kind(listener: &ListenerFacts, kind: Kind) -> Option<bool> {
    let is_named = |(group, own): &(Box<str>, Box<str>)| **group == *GATEWAY_GROUP && **own == *kind.api().kind;
    let is_listed = listener.kinds.is_empty() || listener.kinds.iter().any(is_named);
    match fits_protocol(&listener.protocol, kind) {
        None if listener.kinds.is_empty() => None,
        fits => Some(is_listed && fits != Some(false)),
    }
}

/// The kinds of routes that `listener` takes for certain.
pub fn taken_kinds(listener: &ListenerFacts) -> impl Iterator<Item = Kind> {
    ROUTES.into_iter().filter(|kind| takes_kind(listener, *kind) == Some(true))
}

/// The kinds of routes.
const ROUTES: [Kind; 5] = [Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute];

/// Whether what lives in `own` and admits `from` admits the namespace `other`; `None` where that hangs on labels that are not known.
pub fn allows_namespace(from: &From, own: &str, other: &str, cluster: &Overlay<'_>) -> Option<bool> {
    match from {
        From::All => Some(true),
        From::Same => Some(own == other),
        From::None => Some(false),
        From::Unknown => None,
        From::Selector(selector) => match cluster.namespace(other) {
            Lookup::Found(namespace) => selector.selects(other, Some(namespace)),
            // An object is written into a namespace before we hear of it.
            Lookup::Absent | Lookup::Unknown => selector.selects(other, None),
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
