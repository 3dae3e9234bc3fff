//! The object by which a namespace holds a host, where the first namespace that serves a host owns it
//! (`unlisted: FirstNamespace`).

use std::cell::RefCell;

use hashbrown::HashMap;
use jiff::Timestamp;

use super::controllers::of_classes;
use super::precedence;
use super::used_references::HostlessRoutes;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::cluster::hosts::KINDS;
use crate::cluster::{IngressFacts, Lookup, Overlay};
use crate::config::Config;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::alias::Alias;
use crate::matching::{Host, Mark};

/// The kinds of routes that inherit the hosts of listeners if they have no hostnames.
const HOSTLESS: [Kind; 3] = [Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute];

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
/// Listeners hold no host, since the routes of other namespaces answer their requests, and neither do ACME solvers and
/// routes without a parent.
pub fn holder<'c>(host: &Host<'_>, config: &Config, cluster: &Overlay<'c>) -> Option<Holder<'c>> {
    let routes = HOSTLESS.into_iter().flat_map(|kind| of_routes(kind, host, cluster));
    let others = KINDS.into_iter().filter(|kind| !HOSTLESS.contains(kind));
    let others = others.flat_map(|kind| cluster.stored_naming(kind, host));
    let others = others.filter_map(|object_ref| by_object(object_ref, host, config, cluster));
    of_ingresses(host, cluster).chain(routes).chain(others).min_by(|one, other| precedence::compare(*one, *other))
}

/// The Ingresses that have the host in a rule, or in an annotation that their controllers may read.
fn of_ingresses<'c>(host: &Host<'_>, cluster: &Overlay<'c>) -> impl Iterator<Item = Holder<'c>> {
    let holders = cluster.stored_ingress_holders(host).into_iter();
    let is_read = |(facts, alias): &(&IngressFacts, Option<&Alias>)| {
        alias.is_none_or(|alias| alias.is_read_by(&of_classes(facts.classes(), cluster)))
    };
    let read = holders.filter(is_read).filter(|(facts, _)| facts.mark != Mark::AcmeSolver);
    read.map(|(facts, _)| (facts.created, &facts.object_ref))
}

/// The routes of `kind` that name the host.
fn of_routes<'c>(kind: Kind, host: &Host<'_>, cluster: &Overlay<'c>) -> impl Iterator<Item = Holder<'c>> {
    let routes = cluster.stored_routes_naming(kind, host).into_iter().map(|first| first.facts);
    let holding = routes.filter(|route| route.has_parents && !route.is_solver);
    holding.map(|route| (route.created, &route.object_ref))
}

/// How the object at `object_ref`, which names the host, holds it: a root by itself, a Gateway or ListenerSet by a route
/// without hostnames that its listener accepts.
fn by_object<'c>(
    object_ref: &'c ObjectRef,
    host: &Host<'_>,
    config: &Config,
    cluster: &Overlay<'c>,
) -> Option<Holder<'c>> {
    match object_ref.kind {
        Kind::Gateway | Kind::ListenerSet => {
            let (Lookup::Found(parent), Host::Precise(_)) = (cluster.listeners(object_ref), host) else { return None };
            let routes = hostless_routes(parent, host, cluster).into_iter();
            let routes = routes.filter(|route| route.object_ref.namespace != *gateway_namespace(parent));
            let holders = routes.map(|route| (route.created, &route.object_ref));
            holders.min_by(|one, other| precedence::compare(*one, *other))
        }
        kind => {
            let Lookup::Found(root) = cluster.delegation(object_ref) else { return None };
            config.may_hold_roots(kind.api().kind, &object_ref.namespace).then_some((root.created, object_ref))
        }
    }
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
    HOSTLESS.into_iter().flat_map(of_kind).collect()
}
