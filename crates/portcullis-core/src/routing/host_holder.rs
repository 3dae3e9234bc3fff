//! The object by which a namespace holds a host, where the first namespace that serves a host owns it
//! (`unlisted: FirstNamespace`).

use std::cell::RefCell;
use std::cmp::Ordering;

use hashbrown::HashMap;
use jiff::Timestamp;

use super::attachment::{allows_set, is_served};
use super::controllers::{may_be_served, of_classes};
use super::precedence;
use super::used_references::HostlessRoutes;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::cluster::hosts::{KINDS, ROUTES_WITH_HOSTS};
use crate::cluster::{IngressFacts, Lookup, Overlay};
use crate::config::Config;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::alias::Alias;
use crate::matching::{Host, Mark};

/// An object that serves a host, with its creation time.
pub type Holder<'c> = (Option<Timestamp>, &'c ObjectRef);

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

/// Of all stored objects that serve exactly `host`, including the one under review, the one with precedence: the oldest.
/// Listeners hold no host, since the routes of other namespaces answer their requests. Neither do ACME solvers, routes
/// that no listener accepts, and Ingresses of classes that do not exist, as far as that is known.
pub fn holder<'c>(host: &Host<'_>, config: &Config, cluster: &Overlay<'c>) -> Option<Holder<'c>> {
    let ingress = of_ingresses(host, cluster).min_by(by_precedence);
    let mut first = ingress.into_iter().chain(first_route(host, ingress, cluster)).min_by(by_precedence);
    let others = KINDS.into_iter().filter(|kind| !ROUTES_WITH_HOSTS.contains(kind));
    for object_ref in others.flat_map(|kind| cluster.stored_naming(kind, host)) {
        let holder = match object_ref.kind {
            Kind::Gateway | Kind::ListenerSet => by_listeners(object_ref, host, first, cluster),
            _ => by_root(object_ref, config, cluster),
        };
        first = first.into_iter().chain(holder).min_by(by_precedence);
    }
    first
}

fn by_precedence(one: &Holder<'_>, other: &Holder<'_>) -> Ordering {
    precedence::compare(*one, *other)
}

/// The Ingresses that have the host in a rule, or in an annotation that their controllers may read.
fn of_ingresses<'c>(host: &Host<'_>, cluster: &Overlay<'c>) -> impl Iterator<Item = Holder<'c>> {
    let holders = cluster.stored_ingress_holders(host).into_iter();
    let is_read = |(facts, alias): &(&IngressFacts, Option<&Alias>)| {
        alias.is_none_or(|alias| alias.is_read_by(&of_classes(facts.classes(), cluster)))
    };
    let serving = |facts: &IngressFacts| facts.mark != Mark::AcmeSolver && may_be_served(facts, cluster);
    let read = holders.filter(is_read).filter(move |(facts, _)| serving(facts));
    read.map(|(facts, _)| (facts.created, &facts.object_ref))
}

/// The first route that names the host and that a listener accepts or may accept, if it has precedence over `ingress`.
fn first_route<'c>(host: &Host<'_>, ingress: Option<Holder<'c>>, cluster: &Overlay<'c>) -> Option<Holder<'c>> {
    let routes = ROUTES_WITH_HOSTS.into_iter().flat_map(|kind| cluster.stored_routes_naming(kind, host));
    let mut routes: Vec<&GatewayRouteFacts> =
        routes.map(|first| first.facts).filter(|route| !route.is_solver).collect();
    let age = |route: &&'c GatewayRouteFacts| -> Holder<'c> { (route.created, &route.object_ref) };
    routes.sort_by(|one, other| by_precedence(&age(one), &age(other)));
    let mut earlier =
        routes.iter().take_while(|route| ingress.is_none_or(|first| by_precedence(&age(route), &first).is_lt()));
    earlier.find(|route| is_served(route, host, cluster) != Some(false)).map(age)
}

/// The root at `object_ref`, if it may hold roots.
fn by_root<'c>(object_ref: &'c ObjectRef, config: &Config, cluster: &Overlay<'c>) -> Option<Holder<'c>> {
    let Lookup::Found(root) = cluster.delegation(object_ref) else { return None };
    config.may_hold_roots(object_ref.kind.api().kind, &object_ref.namespace).then_some((root.created, object_ref))
}

/// The route without hostnames that holds the host by a listener of the object at `object_ref`, with the time since which both exist.
/// If `first` is older than the object, no route can have precedence over it.
fn by_listeners<'c>(
    object_ref: &ObjectRef,
    host: &Host<'_>,
    first: Option<Holder<'c>>,
    cluster: &Overlay<'c>,
) -> Option<Holder<'c>> {
    let (Lookup::Found(parent), Host::Precise(_)) = (cluster.listeners(object_ref), host) else { return None };
    let is_later = first.is_some_and(|(created, _)| later(created, parent.created) != created);
    // One look-up instead of one for each reference that a route may use.
    let has_routes = || {
        parent.is_default
            || ROUTES_WITH_HOSTS.into_iter().any(|kind| cluster.routes_of(object_ref, kind).next().is_some())
    };
    if is_later || !has_routes() || !is_attached(parent, cluster) {
        return None;
    }
    let routes = hostless_routes(parent, host, cluster).into_iter();
    let routes = routes.filter(|route| route.object_ref.namespace != *gateway_namespace(parent));
    routes.map(|route| (later(route.created, parent.created), &route.object_ref)).min_by(by_precedence)
}

/// The later one of two creation times; `None` is later than any.
fn later(one: Option<Timestamp>, other: Option<Timestamp>) -> Option<Timestamp> {
    Some(one?.max(other?))
}

/// Whether the listeners are certainly those of a Gateway that exists.
fn is_attached(parent: &ListenersFacts, cluster: &Overlay<'_>) -> bool {
    let Some(gateway) = &parent.parent else { return true };
    matches!(cluster.listeners(gateway), Lookup::Found(gateway) if allows_set(gateway, parent, cluster) == Some(true))
}

/// The namespace of the Gateway to which the listeners of `parent` belong. A route there that has no hostnames serves
/// the Gateway as a whole, such as a redirect to HTTPS.
pub fn gateway_namespace(parent: &ListenersFacts) -> &str {
    &parent.parent.as_ref().unwrap_or(&parent.object_ref).namespace
}

/// The routes without hostnames that a listener of `parent` for exactly `host` accepts. Of the routes of one namespace that
/// no comparison distinguishes, only the oldest is returned.
pub fn hostless_routes<'c>(
    parent: &'c ListenersFacts,
    host: &Host<'_>,
    cluster: &Overlay<'c>,
) -> Vec<&'c GatewayRouteFacts> {
    let listeners: Vec<&ListenerFacts> = parent.listeners.iter().filter(|listener| listener.host == *host).collect();
    let of_kind = |kind| {
        let routes = HostlessRoutes::of(parent, &listeners, kind, cluster);
        (0..listeners.len()).flat_map(|listener| routes.at(listener, cluster).collect::<Vec<_>>()).collect::<Vec<_>>()
    };
    ROUTES_WITH_HOSTS.into_iter().flat_map(of_kind).collect()
}
