//! `host/cross-kind-conflict`

use hashbrown::HashSet;

use super::{Rival, rival};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::{GatewayRouteFacts, ParentFacts};
use crate::cluster::hosts::KINDS;
use crate::cluster::{Lookup, Overlay};
use crate::finding::Findings;
use crate::kinds::{Kind, Object, ObjectRef};
use crate::matching::Host;
use crate::routing::Hosts;
use crate::routing::attachment::default_parents;
use crate::routing::host_holders::{self, Among};
use crate::routing::serving::is_served;
use crate::routing::shared_proxy::{ServedBy, SharedProxy};

pub static CHECK: Check = Check {
    id: "host/cross-kind-conflict",
    needs: &[
        Kind::Ingress,
        Kind::IngressClass,
        Kind::Namespace,
        Kind::GatewayClass,
        Kind::Gateway,
        Kind::ListenerSet,
        Kind::HttpRoute,
        Kind::GrpcRoute,
        Kind::TlsRoute,
        Kind::IngressRoute,
        Kind::HttpProxy,
    ],
    page: include_str!("cross_kind_conflict.md"),
    run: Run::Hosts(check),
    ..Check::conflict(Actions::ACROSS)
};

/// The other object that claims the host, the most serious kind of claim first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Claimant {
    /// It serves the host.
    Serving,
    /// It names the host, but it is unknown whether a listener accepts it.
    Perhaps,
    /// It serves the host, but `hostOwnership` gives the host to the namespace under review.
    Squatter,
}

fn check(hosts: &Hosts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // A listener without routes does not serve any request.
    if is_listeners(cx.this.kind) {
        return;
    }
    let (mut reported, mut own) = (HashSet::new(), None);
    let claims = hosts.may_be_served(cx.cluster);
    for claim in cx.part.of(&claims).iter().filter(|claim| claim.is_served()) {
        let Some((claimant, other)) = stranger(&claim.host, cx) else { continue };
        // The same host may be in a rule and in `spec.tls`, or come from several parents.
        let host = claim.host.to_string();
        if reported.contains(&host) {
            continue;
        }
        let theirs = served_by(other, &claim.host, cx);
        let own = own.get_or_insert_with(|| of_subject(hosts, cx));
        let shared = theirs.map_or(SharedProxy::No, |theirs| SharedProxy::of(own, &theirs, cx.data_planes, cx.cluster));
        let kinds = [cx.this.kind, other.kind];
        let has_ingress = kinds.contains(&Kind::Ingress) && kinds.contains(&Kind::HttpProxy);
        let finding = found.duplicate(claim.at, &host, template(claimant, shared, has_ingress));
        // A hostname that comes from a listener was written by the owner of the Gateway, not by the author of this
        // object.
        match claim.written.is_empty() {
            true => finding.without_args().redactable(&host, "of a listener").other(other),
            false => finding.args([&host]).other(other),
        };
        finding.claim(&host, None);
        if claimant != Claimant::Serving {
            finding.only_warns();
        }
        reported.insert(host);
    }
}

/// The message about another object that claims the host, by whether one proxy serves both objects, and whether they are an
/// Ingress and an HTTPProxy.
const fn template(claimant: Claimant, shared: SharedProxy, has_ingress: bool) -> &'static str {
    match (claimant, shared) {
        (Claimant::Serving, SharedProxy::No) => "host {} is also served by {other}: DNS decides which one answers",
        (Claimant::Serving, SharedProxy::Maybe) => {
            "host {} is also served by {other}: if one proxy serves both, which one answers is undefined"
        }
        (Claimant::Serving, SharedProxy::Contour) if has_ingress => {
            "host {} is also served by {other}: for equal paths, Contour serves the HTTPProxy, but the Ingress for a Prefix longer than `/`"
        }
        (Claimant::Serving, SharedProxy::Contour) => {
            "host {} is also served by {other}: which one Contour serves is undefined"
        }
        (Claimant::Perhaps, SharedProxy::No) => "host {} may also be served by {other}: DNS decides which one answers",
        (Claimant::Perhaps, SharedProxy::Maybe | SharedProxy::Contour) => {
            "host {} may also be served by {other}: if one proxy serves both, which one answers is undefined"
        }
        (Claimant::Squatter, SharedProxy::No) => {
            "{other} also claims host {} without owning it: DNS decides which one answers"
        }
        (Claimant::Squatter, SharedProxy::Maybe) => {
            "{other} also claims host {} without owning it: one proxy may serve both"
        }
        (Claimant::Squatter, SharedProxy::Contour) => {
            "{other} also claims host {} without owning it: one Contour serves both"
        }
    }
}

/// The data planes that serve the object under review.
fn of_subject<'h>(hosts: &Hosts<'h, '_>, cx: &Context<'_>) -> ServedBy<'h> {
    match hosts {
        Hosts::OfIngress(claims) => ServedBy::Classes(claims.classes.iter().collect()),
        Hosts::OfObject(Object::IngressRoute(route)) => ServedBy::Contour(route.class()),
        Hosts::OfObject(Object::HttpProxy(proxy)) => ServedBy::Contour(proxy.class()),
        Hosts::OfObject(object) => {
            let facts = object.route().map(|route| GatewayRouteFacts::without_matches(&route));
            facts.map_or(ServedBy::Gateways(Vec::new()), |facts| of_route(&facts, cx.cluster))
        }
    }
}

/// The data planes that serve the object at `object_ref`, which claims `host`; `None` if they are not known.
fn served_by<'c>(object_ref: &ObjectRef, host: &Host<'_>, cx: &Context<'c>) -> Option<ServedBy<'c>> {
    match object_ref.kind {
        Kind::Ingress => {
            let mut others = host_holders::ingresses(host, Among::Others, cx.cluster);
            let facts = others.find(|facts| facts.object_ref == *object_ref)?;
            Some(ServedBy::Classes(facts.classes().collect()))
        }
        kind if kind.is_gateway_api() => {
            let Lookup::Found(facts) = cx.cluster.route(object_ref) else { return None };
            Some(of_route(facts, cx.cluster))
        }
        _ => {
            let Lookup::Found(facts) = cx.cluster.delegation(object_ref) else { return None };
            Some(ServedBy::Contour(facts.class.as_deref()))
        }
    }
}

fn of_route(facts: &GatewayRouteFacts, cluster: &Overlay<'_>) -> ServedBy<'static> {
    let defaults: Vec<ParentFacts> = default_parents(facts.uses_defaults, cluster).collect();
    ServedBy::parents(facts.parents.iter().chain(&defaults), cluster)
}

/// The most serious claim on `host` by an object of another namespace in another data plane. Of equally serious claims
/// an Ingress comes first, then a route, then a root, each ordered by reference.
fn stranger<'c>(host: &Host<'_>, cx: &Context<'c>) -> Option<(Claimant, &'c ObjectRef)> {
    let ingress = match cx.this.kind {
        Kind::Ingress => None,
        _ => {
            let others = host_holders::ingresses(host, Among::Others, cx.cluster);
            let foreign = others.filter(|other| other.object_ref.namespace != cx.namespace());
            let others = foreign.filter_map(|other| {
                let rival = rival(host, &other.object_ref, other.created, cx)?;
                Some((claimant(rival), &other.object_ref))
            });
            others.min()
        }
    };
    if ingress.is_some_and(|(claimant, _)| claimant == Claimant::Serving) {
        return ingress;
    }
    // Routes and listeners under review are compared with each other by other checks.
    let is_of_gateway_api = cx.this.kind.is_gateway_api();
    // Most hosts are named by no object of any of these kinds, which takes one look-up.
    if !is_of_gateway_api && cx.cluster.with_host_outside_namespace(host, cx.namespace()).next().is_none() {
        return ingress;
    }
    let mut best = ingress;
    let is_compared = |kind: &Kind| !(is_of_gateway_api && kind.is_gateway_api());
    for kind in KINDS.into_iter().filter(is_compared) {
        let other = match kind {
            Kind::HttpRoute | Kind::GrpcRoute | Kind::TlsRoute => of_routes(kind, host, cx),
            _ => of_objects(kind, host, cx),
        };
        best = best.into_iter().chain(other).min_by_key(|(claimant, _)| *claimant);
        if best.is_some_and(|(claimant, _)| claimant == Claimant::Serving) {
            break;
        }
    }
    best
}

/// The most serious claim of a route of `kind` and another namespace that names the host.
fn of_routes<'c>(kind: Kind, host: &Host<'_>, cx: &Context<'c>) -> Option<(Claimant, &'c ObjectRef)> {
    let routes = host_holders::routes(kind, host, Among::Others, cx.cluster);
    let routes = routes.filter(|route| route.object_ref.namespace != cx.namespace());
    routes.filter_map(|route| rival_route(route, host, cx)).min()
}

/// The first most serious claim of another object of `kind` and another namespace that names the host: a root by itself, a
/// Gateway or ListenerSet by the routes of its listeners.
fn of_objects<'c>(kind: Kind, host: &Host<'_>, cx: &Context<'c>) -> Option<(Claimant, &'c ObjectRef)> {
    let mut best = None;
    for object_ref in cx.cluster.naming_outside_namespace(kind, host, cx.namespace()) {
        let other = if is_listeners(kind) { behind_listener(object_ref, host, cx) } else { root(object_ref, host, cx) };
        best = best.into_iter().chain(other).min_by_key(|(claimant, _)| *claimant);
        if best.is_some_and(|(claimant, _)| claimant == Claimant::Serving) {
            break;
        }
    }
    best
}

const fn is_listeners(kind: Kind) -> bool {
    matches!(kind, Kind::Gateway | Kind::ListenerSet)
}

fn claimant(rival: Rival) -> Claimant {
    match rival {
        Rival::Holder => Claimant::Serving,
        Rival::Squatter => Claimant::Squatter,
    }
}

/// A route, if a listener accepts it for `host` or may accept it.
fn rival_route<'c>(
    route: &'c GatewayRouteFacts,
    host: &Host<'_>,
    cx: &Context<'c>,
) -> Option<(Claimant, &'c ObjectRef)> {
    let claimant = match (rival(host, &route.object_ref, route.created, cx)?, is_served(route, host, cx.cluster)) {
        (_, Some(false)) => return None,
        (Rival::Holder, None) => Claimant::Perhaps,
        (rival, _) => claimant(rival),
    };
    Some((claimant, &route.object_ref))
}

/// A route of another namespace without hostnames that a listener for `host` of the object at `object_ref` accepts.
fn behind_listener<'c>(object_ref: &ObjectRef, host: &Host<'_>, cx: &Context<'c>) -> Option<(Claimant, &'c ObjectRef)> {
    let Lookup::Found(parent) = cx.cluster.listeners(object_ref) else { return None };
    let routes = host_holders::behind(parent, host, cx.cluster);
    let routes = routes.filter(|route| route.object_ref.namespace != cx.namespace());
    let rivals = routes
        .filter_map(|route| Some((claimant(rival(host, &route.object_ref, route.created, cx)?), &route.object_ref)));
    rivals.min()
}

/// The root at `object_ref`, if another data plane serves it. A root of the same kind only counts if it is an HTTPProxy
/// of another class.
fn root<'c>(object_ref: &'c ObjectRef, host: &Host<'_>, cx: &Context<'c>) -> Option<(Claimant, &'c ObjectRef)> {
    let facts = host_holders::root(object_ref, cx.config, cx.cluster)?;
    let is_served_here = || cx.data_planes.of_contour(cx.subject.class).any(|class| facts.class.as_deref() == class);
    if object_ref.kind == cx.this.kind && (object_ref.kind != Kind::HttpProxy || is_served_here()) {
        return None;
    }
    Some((claimant(rival(host, object_ref, facts.created, cx)?), object_ref))
}
