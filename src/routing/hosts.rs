//! The hosts that an object lays claim to, be it an Ingress, listeners, a route or a root of a delegation.

use std::borrow::Cow;

use hashbrown::HashSet;

use super::Attachment;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ParentFacts};
use crate::field::At;
use crate::kinds::{Kind, Listeners, Object, Route, walk};
use crate::matching::claims::Place;
use crate::matching::{Claims, Host, HostClaim};

/// An object whose hosts may be asked for; they are found out only then, since that may take the rest of the cluster.
#[derive(Debug, Clone, Copy)]
pub enum Hosts<'o, 'a> {
    /// Those of an Ingress, which says all of them itself.
    Claimed(&'o Claims<'o>),
    /// Those of an object of a kind that comes as a CRD.
    Of(&'o Object<'a>),
}

impl<'o> Hosts<'o, '_> {
    /// The hosts. A route that names none has those that it gets from the listeners that take it; what an unknown parent would give it is
    /// left out.
    pub fn claims<'h>(&self, cluster: &Overlay<'h>) -> Cow<'h, [HostClaim<'h>]>
    where
        'o: 'h,
    {
        let object = match self {
            Self::Claimed(claims) => return Cow::Borrowed(&claims.hosts),
            Self::Of(object) => object,
        };
        match (object.listeners(), object.route()) {
            (Some(listeners), _) => of_listeners(&listeners).into(),
            (None, Some(route)) if route.hostnames().is_empty() => given(&route, cluster).into(),
            (None, Some(route)) => named(&route).into(),
            (None, None) => of_root(object).into(),
        }
    }
}

/// The host that a root of a delegation owns; a blank one is none.
fn of_root<'o>(object: &'o Object<'_>) -> Vec<HostClaim<'o>> {
    let fqdn = match object {
        Object::IngressRoute(route) => route.spec.virtualhost.as_ref().map(|host| &*host.fqdn),
        Object::HttpProxy(proxy) => proxy.spec.virtualhost.as_ref().map(|host| &*host.fqdn),
        _ => None,
    };
    let named = fqdn.filter(|fqdn| !fqdn.is_empty());
    named.map(|fqdn| HostClaim::written(Place::At(At::field("spec.virtualhost.fqdn")), fqdn)).into_iter().collect()
}

/// What listeners answer: a listener that names no host answers every host.
fn of_listeners<'o>(listeners: &Listeners<'o, '_>) -> Vec<HostClaim<'o>> {
    let answered = walk::host::answered(listeners);
    answered.map(|(at, listener)| HostClaim::written(Place::At(at), listener.hostname())).collect()
}

/// What a route names, whether or not a listener takes it.
fn named<'o>(route: &Route<'o, '_>) -> Vec<HostClaim<'o>> {
    walk::route::hostnames(route).map(|(at, host)| HostClaim::written(Place::At(at), host)).collect()
}

/// What a route that names no host gets from the listeners that take it: for each parent each host once.
fn given<'c>(route: &Route<'_, '_>, cluster: &Overlay<'c>) -> Vec<HostClaim<'c>> {
    let mut claims = Vec::new();
    if !matches!(route.kind(), Kind::HttpRoute | Kind::GrpcRoute | Kind::TlsRoute) {
        return claims;
    }
    let facts = GatewayRouteFacts::without_matches(route);
    for (at, parent) in walk::route::parent_refs(route) {
        let Some(parent) = ParentFacts::of(parent, &facts.place.namespace) else { continue };
        let attachment = Attachment::of(&facts, &parent, cluster);
        let hosts: HashSet<Host<'c>> = attachment.accepting().map(|listener| listener.host.borrowed()).collect();
        claims.extend(hosts.into_iter().map(|host| HostClaim { at: Place::At(at), host, written: "" }));
    }
    claims
}
