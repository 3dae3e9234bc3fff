//! The objects that serve a host, and the one by which a namespace holds it where the first namespace that serves a host
//! owns it (`unlisted: FirstNamespace`).

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::BTreeSet;

use hashbrown::HashMap;
use jiff::Timestamp;

use super::attachment::accepts;
use super::controllers::{mark_of, may_be_served, of_classes};
use super::precedence;
use super::serving::{is_programmed, is_served, serving_parents};
use super::used_references::RoutesWithHosts;
use crate::cluster::delegation_facts::DelegationFacts;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::cluster::hosts::{HOST_HOLDERS, KINDS, ROUTES_WITH_HOSTS};
use crate::cluster::route_claim::RouteClaim;
use crate::cluster::{IngressFacts, Lookup, Overlay};
use crate::config::Config;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::alias::Alias;
use crate::matching::{Host, Mark};

/// An object that serves a host, with the time since which it may serve it.
pub type Holder<'c> = (Option<Timestamp>, &'c ObjectRef);

/// An object that serves a host, as it is ordered among others.
#[derive(Clone, Copy)]
struct Serving<'c> {
    /// The time since which it may serve the host.
    since: Option<Timestamp>,
    /// Its creation time, which decides if two may serve the host since the same time: a Gateway that is created again
    /// gives all its routes one time.
    created: Option<Timestamp>,
    object_ref: &'c ObjectRef,
}

impl<'c> Serving<'c> {
    /// An object that serves the host since it was created.
    fn by_itself(created: Option<Timestamp>, object_ref: &'c ObjectRef) -> Self {
        Self { since: created, created, object_ref }
    }

    /// A route that may serve the host since `since`.
    fn route(since: Option<Timestamp>, route: &'c GatewayRouteFacts) -> Self {
        Self { since, created: route.created, object_ref: &route.object_ref }
    }
}

/// The holders of the hosts that were asked for, each looked up once.
#[derive(Debug, Default)]
pub struct Holders<'c>(RefCell<HashMap<Host<'static>, Option<Holder<'c>>>>);

impl<'c> Holders<'c> {
    /// The [holder] of `host`.
    pub fn of(&self, host: &Host<'_>, config: &Config, cluster: &Overlay<'c>) -> Option<Holder<'c>> {
        let mut known = self.0.borrow_mut();
        *known.entry(host.clone().into_owned()).or_insert_with(|| holder(host, config, cluster))
    }
}

/// The holders of the hosts that the checks of a review asked for, each looked up once. They borrow nothing from the view, so
/// that the checks can share them.
#[derive(Debug, Default)]
pub struct SharedHolders(RefCell<HashMap<Host<'static>, Option<OwnedHolder>>>);

/// A [`Holder`] that borrows nothing from the view.
type OwnedHolder = (Option<Timestamp>, ObjectRef);

impl SharedHolders {
    /// Whether the [holder] of `host` exists and meets `condition`.
    pub fn with(
        &self,
        host: &Host<'_>,
        config: &Config,
        cluster: &Overlay<'_>,
        condition: impl FnOnce(Holder<'_>) -> bool,
    ) -> bool {
        cluster.record(HOST_HOLDERS);
        let look_up = || holder(host, config, cluster).map(|(created, object_ref)| (created, object_ref.clone()));
        let mut known = self.0.borrow_mut();
        let known = known.entry(host.clone().into_owned()).or_insert_with(look_up);
        known.as_ref().is_some_and(|(created, object_ref)| condition((*created, object_ref)))
    }
}

/// Of all stored objects that serve exactly `host`, including the one under review, the one with precedence: the oldest.
/// Listeners hold no host, since the routes of other namespaces answer their requests.
pub fn holder<'c>(host: &Host<'_>, config: &Config, cluster: &Overlay<'c>) -> Option<Holder<'c>> {
    let ingresses = ingresses(host, Among::Stored, cluster);
    let ingress = ingresses.map(|facts| Serving::by_itself(facts.created, &facts.object_ref)).min_by(by_precedence);
    let mut first = ingress.into_iter().chain(first_route(host, ingress, cluster)).min_by(by_precedence);
    let others = KINDS.into_iter().filter(|kind| !ROUTES_WITH_HOSTS.contains(kind));
    for object_ref in others.flat_map(|kind| cluster.stored_naming(kind, host)) {
        let holder = match object_ref.kind {
            Kind::Gateway | Kind::ListenerSet => {
                // If `first` is older than the listeners, no route can have precedence over it by them.
                let is_later = |parent: &ListenersFacts| {
                    first.is_some_and(|Serving { since, .. }| later(since, parent.created) != since)
                };
                match cluster.listeners(object_ref) {
                    Lookup::Found(parent) if !is_later(parent) => behind(parent, host, cluster)
                        .chain(stored_behind(parent, host, cluster))
                        .map(|route| Serving::route(later(route.created, parent.created), route))
                        .min_by(by_precedence),
                    _ => None,
                }
            }
            _ => root(object_ref, config, cluster).map(|root| Serving::by_itself(root.created, object_ref)),
        };
        first = first.into_iter().chain(holder).min_by(by_precedence);
    }
    first.map(|Serving { since, object_ref, .. }| (since, object_ref))
}

fn by_precedence(one: &Serving<'_>, other: &Serving<'_>) -> Ordering {
    let age = |serving: &Serving<'_>| if one.since == other.since { serving.created } else { serving.since };
    precedence::compare((age(one), one.object_ref), (age(other), other.object_ref))
}

/// Among which objects those that serve a host are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Among {
    /// All stored objects, with the stored state of the object under review.
    Stored,
    /// The objects other than the one under review.
    Others,
}

/// The Ingresses that have the host in a rule, or in an annotation that their controllers may read. ACME solvers,
/// Ingresses of classes that are known to be absent, and canaries by themselves serve no host.
pub fn ingresses<'c>(host: &Host<'_>, among: Among, cluster: &Overlay<'c>) -> impl Iterator<Item = &'c IngressFacts> {
    let all = match among {
        Among::Stored => cluster.stored_ingress_holders(host),
        Among::Others => cluster.ingress_holders(host),
    };
    let is_read = |(facts, alias): &(&IngressFacts, Option<&Alias>)| {
        alias.is_none_or(|alias| alias.is_read_by(&of_classes(facts.classes(), cluster)))
    };
    let read = all.into_iter().filter(is_read).map(|(facts, _)| facts);
    let serves_nothing =
        |facts: &IngressFacts| matches!(mark_of(facts.mark, facts.classes(), cluster), Mark::AcmeSolver | Mark::Canary);
    read.filter(move |facts| !serves_nothing(facts) && may_be_served(facts, cluster))
}

/// The routes of `kind` that name the host. ACME solvers serve no host, and neither does a route that no listener
/// accepts, which [`is_served`] decides for those that matter.
pub fn routes<'c>(
    kind: Kind,
    host: &Host<'_>,
    among: Among,
    cluster: &Overlay<'c>,
) -> impl Iterator<Item = &'c GatewayRouteFacts> {
    let all = match among {
        Among::Stored => cluster.stored_routes_naming(kind, host),
        Among::Others => cluster.routes_with_claim(kind, None, RouteClaim::host(host)),
    };
    all.into_iter().map(|first| first.facts).filter(|route| !route.is_solver)
}

/// The root at `object_ref`, if its namespace may hold roots.
pub fn root<'c>(object_ref: &ObjectRef, config: &Config, cluster: &Overlay<'c>) -> Option<&'c DelegationFacts> {
    let may_hold = config.may_hold_roots(object_ref.kind.api().kind, &object_ref.namespace);
    match may_hold.then(|| cluster.delegation(object_ref)) {
        Some(Lookup::Found(root)) => Some(root),
        _ => None,
    }
}

/// The routes without hostnames, or with a wildcard above the host, that hold the host by a listener of `parent`. Such a route in
/// the namespace of the Gateway serves the Gateway as a whole, such as a redirect to HTTPS, and holds no host.
pub fn behind<'c>(
    parent: &'c ListenersFacts,
    host: &Host<'_>,
    cluster: &Overlay<'c>,
) -> impl Iterator<Item = &'c GatewayRouteFacts> {
    // One look-up instead of one for each reference that a route may use.
    let has_routes = || {
        let mut kinds = ROUTES_WITH_HOSTS.into_iter();
        parent.is_default || kinds.any(|kind| cluster.routes_of(&parent.object_ref, kind).next().is_some())
    };
    let may_hold = matches!(host, Host::Precise(_)) && has_routes() && is_programmed(parent, cluster) == Some(true);
    let routes = may_hold.then(|| wider_routes(parent, host, cluster)).into_iter().flatten();
    routes.filter(|route| route.object_ref.namespace != *gateway_namespace(parent))
}

/// Whether a listener of `parent` for exactly `host` accepts a route in the namespace of the Gateway that has no hostnames, or a wildcard above
/// the host: such a route serves the host by this listener alone.
pub fn has_own_route(parent: &ListenersFacts, host: &Host<'_>, cluster: &Overlay<'_>) -> bool {
    let routes = wider_routes(parent, host, cluster);
    routes.iter().any(|route| !route.is_solver && route.object_ref.namespace == *gateway_namespace(parent))
}

/// The stored state of the object under review, if it is a route that holds the host like those [behind](behind) `parent`.
fn stored_behind<'c>(parent: &ListenersFacts, host: &Host<'_>, cluster: &Overlay<'c>) -> Option<&'c GatewayRouteFacts> {
    let this = cluster.this();
    let may_hold = matches!(host, Host::Precise(_))
        && ROUTES_WITH_HOSTS.contains(&this.kind)
        && this.namespace != *gateway_namespace(parent)
        && is_programmed(parent, cluster) == Some(true);
    let route = may_hold.then(|| cluster.route(this).found()).flatten()?;
    let is_wider = route.hosts.is_empty() || host.wildcards_above().any(|wider| route.hosts.contains(&wider));
    let is_accepted = |listener: &ListenerFacts| listener.host == *host && accepts(listener, parent, route, cluster);
    (is_wider && parent.listeners.iter().any(is_accepted)).then_some(route)
}

/// The objects outside the namespace `own` that serve exactly `host`, or may serve it.
pub fn outside_namespace<'c>(
    host: &Host<'_>,
    own: &str,
    config: &Config,
    cluster: &Overlay<'c>,
) -> BTreeSet<&'c ObjectRef> {
    let mut all: BTreeSet<&'c ObjectRef> =
        ingresses(host, Among::Others, cluster).map(|facts| &facts.object_ref).collect();
    for kind in KINDS {
        let naming = cluster.stored_naming(kind, host);
        match kind {
            Kind::HttpRoute | Kind::GrpcRoute | Kind::TlsRoute => {
                let routes = routes(kind, host, Among::Others, cluster);
                let served = routes.filter(|route| is_served(route, host, cluster) != Some(false));
                all.extend(served.map(|route| &route.object_ref));
            }
            Kind::Gateway | Kind::ListenerSet => {
                let parents = naming.filter_map(|object_ref| cluster.listeners(object_ref).found());
                all.extend(parents.flat_map(|parent| behind(parent, host, cluster)).map(|route| &route.object_ref));
            }
            _ => all.extend(naming.filter(|object_ref| root(object_ref, config, cluster).is_some())),
        }
    }
    all.retain(|object_ref| object_ref.namespace != own);
    all
}

/// Of the routes that name the host and that a listener accepts or may accept, the one with precedence, if it has precedence
/// over `ingress`.
fn first_route<'c>(host: &Host<'_>, ingress: Option<Serving<'c>>, cluster: &Overlay<'c>) -> Option<Serving<'c>> {
    let all = ROUTES_WITH_HOSTS.into_iter().flat_map(|kind| routes(kind, host, Among::Stored, cluster));
    let mut routes: Vec<&GatewayRouteFacts> = all.collect();
    let at_first = |route: &'c GatewayRouteFacts| Serving::route(route.created, route);
    routes.sort_by(|one, other| by_precedence(&at_first(one), &at_first(other)));
    let mut first = ingress;
    for route in routes {
        if first.is_some_and(|first| by_precedence(&first, &at_first(route)).is_lt()) {
            break;
        }
        let holder = since(route, host, cluster).map(|since| Serving::route(since, route));
        first = first.into_iter().chain(holder).min_by(by_precedence);
    }
    first
}

/// The time since which a route may serve the host: since the route and a parent that accepts it exist. `None` if it certainly
/// does not.
fn since(route: &GatewayRouteFacts, host: &Host<'_>, cluster: &Overlay<'_>) -> Option<Option<Timestamp>> {
    // What is not known may have served it since it exists.
    let parents = serving_parents(route, host, cluster);
    let times = parents.map(|parent| parent.map_or(route.created, |parent| later(route.created, parent.created)));
    times.min_by_key(|created| (created.is_none(), *created))
}

/// The later one of two creation times; `None` is later than any.
fn later(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    Some(one?.max(other?))
}

/// The namespace of the Gateway to which the listeners of `parent` belong. A route there that has no hostnames serves
/// the Gateway as a whole, such as a redirect to HTTPS.
pub fn gateway_namespace(parent: &ListenersFacts) -> &str {
    &parent.parent.as_ref().unwrap_or(&parent.object_ref).namespace
}

/// The routes without hostnames, or with a wildcard above `host`, that a listener of `parent` for exactly `host` accepts. Of
/// the routes of one namespace that no comparison distinguishes, only the oldest is returned.
fn wider_routes<'c>(parent: &ListenersFacts, host: &Host<'_>, cluster: &Overlay<'c>) -> Vec<&'c GatewayRouteFacts> {
    let listeners: Vec<&ListenerFacts> = parent.listeners.iter().filter(|listener| listener.host == *host).collect();
    let wider: Vec<Host<'_>> = std::iter::once(Host::Any).chain(host.wildcards_above()).collect();
    let of_kind = |kind| {
        let routes = RoutesWithHosts::of(&wider, parent, &listeners, kind, cluster);
        (0..listeners.len()).flat_map(|listener| routes.at(listener, cluster).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    ROUTES_WITH_HOSTS.into_iter().flat_map(of_kind).collect()
}
