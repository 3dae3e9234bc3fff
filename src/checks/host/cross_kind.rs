//! `host/cross-kind`

use hashbrown::HashSet;
use jiff::Timestamp;

use super::{Rival, rival};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenersFacts};
use crate::cluster::{Lookup, Overlay};
use crate::finding::Findings;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;
use crate::routing::Hosts;
use crate::routing::attachment::{is_served, takes};

pub static CHECK: Check = Check {
    id: "host/cross-kind",
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
    page: include_str!("cross_kind.md"),
    run: Run::Hosts(check),
    ..Check::conflict(Actions::ACROSS)
};

/// What another object that claims the host is, the gravest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Claimant {
    /// It serves the host.
    Serving,
    /// It names the host; whether a listener accepts it is unknown.
    Perhaps,
    /// It serves the host, which host ownership gives to this namespace.
    Squatter,
}

fn check(hosts: &Hosts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // A listener without routes answers no request.
    if is_listeners(cx.this.kind) {
        return;
    }
    let mut told = HashSet::new();
    for claim in hosts.served(cx.cluster).iter().take_while(|_| cx.cluster.steps().are_left()) {
        let Some((claimant, other)) = stranger(&claim.host, cx) else { continue };
        // A host stands in a rule and in `spec.tls`, or comes from several parents.
        let host = claim.host.to_string();
        if told.contains(&host) {
            continue;
        }
        let template = match claimant {
            Claimant::Serving => "host {} is {other}'s too: DNS decides which one answers",
            Claimant::Perhaps => "host {} is perhaps {other}'s too: DNS decides which one answers",
            Claimant::Squatter => "{other} also claims host {} and may not: DNS decides",
        };
        let finding = found.duplicate(claim.at, &host, template);
        // A host that a listener gives is the Gateway's text and not the author's.
        match claim.written.is_empty() {
            true => finding.nothing_shown().foreign(&host, "of a listener").other(other),
            false => finding.shown([&host]).other(other),
        };
        if claimant != Claimant::Serving {
            finding.only_warns();
        }
        told.insert(host);
    }
}

/// What claims `host` in another data plane for another namespace: the gravest, of those an Ingress, then a route, then a root, by place.
fn stranger<'c>(host: &Host<'_>, cx: &Context<'c>) -> Option<(Claimant, &'c ObjectRef)> {
    let ingress = match cx.this.kind {
        Kind::Ingress => None,
        _ => {
            let others = cx.cluster.ingresses_with_host(host).filter(|other| other.place.namespace != cx.namespace());
            let others = others.filter_map(|other| {
                let rival = rival(host, &other.place, other.created, cx)?;
                Some((claimant(rival), &other.place))
            });
            others.min()
        }
    };
    if ingress.is_some_and(|(claimant, _)| claimant == Claimant::Serving) {
        return ingress;
    }
    let mut best = ingress;
    for place in cx.cluster.strangers_with_host(host, cx.namespace()) {
        let other = match place.kind {
            kind if kind.is_gateway_api() && cx.this.kind.is_gateway_api() => None,
            kind if is_listeners(kind) => behind_listener(place, host, cx),
            kind if kind.is_gateway_api() => route(place, host, cx),
            _ => root(place, host, cx),
        };
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

/// The route at `place`, if a listener takes it for `host`, or may.
fn route<'c>(place: &'c ObjectRef, host: &Host<'_>, cx: &Context<'c>) -> Option<(Claimant, &'c ObjectRef)> {
    let Lookup::Found(facts) = cx.cluster.route(place) else { return None };
    let is_served = is_served(facts, host, cx.cluster);
    let claimant = match (rival(host, place, facts.created, cx)?, is_served) {
        (_, Some(false)) => return None,
        (Rival::Holder, None) => Claimant::Perhaps,
        (rival, _) => claimant(rival),
    };
    Some((claimant, place))
}

/// A route of another namespace that names no host and that a listener for `host` of the object at `place` takes.
fn behind_listener<'c>(place: &ObjectRef, host: &Host<'_>, cx: &Context<'c>) -> Option<(Claimant, &'c ObjectRef)> {
    let Lookup::Found(parent) = cx.cluster.listeners(place) else { return None };
    let routes = hostless_routes(parent, host, cx.cluster).filter(|route| route.place.namespace != cx.namespace());
    let rivals =
        routes.filter_map(|route| Some((claimant(rival(host, &route.place, route.created, cx)?), &route.place)));
    rivals.min()
}

/// The routes without hosts that a listener of `parent` for `host` takes.
fn hostless_routes<'c>(
    parent: &'c ListenersFacts,
    host: &Host<'_>,
    cluster: &Overlay<'c>,
) -> impl Iterator<Item = &'c GatewayRouteFacts> {
    let listeners = parent.listeners.iter().filter(move |listener| listener.host == *host);
    listeners.flat_map(move |listener| {
        let kinds = [Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute].into_iter();
        let routes = kinds.flat_map(|kind| cluster.routes_with_host(&parent.place, kind, &Host::Any));
        routes.filter(move |route| takes(listener, parent, route, cluster)).collect::<Vec<_>>()
    })
}

/// The root at `place`, if another data plane serves it: of HTTPProxies those of another class do.
fn root<'c>(place: &'c ObjectRef, host: &Host<'_>, cx: &Context<'c>) -> Option<(Claimant, &'c ObjectRef)> {
    if !cx.config.may_hold_roots(place.kind.api().kind, &place.namespace) {
        return None;
    }
    let facts = match cx.cluster.delegation(place) {
        Lookup::Found(facts) => facts,
        Lookup::Absent | Lookup::Unknown => return None,
    };
    let is_served_here = || cx.data_planes.of_contour(cx.subject.class).any(|class| facts.class.as_deref() == class);
    if place.kind == cx.this.kind && (place.kind != Kind::HttpProxy || is_served_here()) {
        return None;
    }
    let created: Option<Timestamp> = facts.created;
    Some((claimant(rival(host, place, created, cx)?), place))
}
