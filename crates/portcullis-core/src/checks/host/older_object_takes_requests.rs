//! `host/older-object-takes-requests`

use hashbrown::HashSet;
use jiff::Timestamp;

use super::other_ingress::OtherIngresses;
use super::{Rival, is_owner, rival};
use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::cluster::Relation;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ParentFacts};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, ObjectRef, Route};
use crate::matching::controller::Controller;
use crate::matching::{Claims, Host, Readers};
use crate::routing::conflict::{self, RouteMatches};
use crate::routing::controllers::of_classes;
use crate::routing::presence::Presence;
use crate::routing::{Hosts, kind_lookup, precedence};

pub static CHECK: Check = Check {
    id: "host/older-object-takes-requests",
    needs: &[
        Kind::Ingress,
        Kind::IngressClass,
        Kind::Namespace,
        Kind::Gateway,
        Kind::ListenerSet,
        Kind::HttpRoute,
        Kind::GrpcRoute,
        Kind::TlsRoute,
    ],
    page: include_str!("older_object_takes_requests.md"),
    run: Run::Hosts(check),
    ..Check::conflict(Actions::DENY)
};

/// The annotation by which Ingresses of one host in the controller of F5 share it.
const MERGEABLE: &str = "nginx.org/mergeable-ingress-type";

fn check(hosts: &Hosts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // What is created is younger than what exists.
    if cx.operation != Operation::Update {
        return;
    }
    match hosts {
        Hosts::OfIngress(claims) => of_ingress(claims, cx, found),
        Hosts::OfObject(object) => {
            if let Some(route) = object.route() {
                of_route(&route, cx, found);
            }
        }
    }
}

/// Hosts that another Ingress has, too. The controller of F5 serves a host for its oldest Ingress alone.
fn of_ingress(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let metadata = &claims.ingress.metadata;
    let readers = of_classes(claims.classes.iter(), cx.cluster);
    let is_of_f5 =
        readers.contains(&Readers::Only(Controller::F5Nginx)) && metadata.annotations.get(MERGEABLE).is_none();
    let Some(created) = metadata.created().filter(|_| is_of_f5) else { return };
    let mut others = OtherIngresses::default();
    for position in cx.part.of(claims.first_by_host()) {
        let route = &claims.routes[*position];
        let holders = cx.cluster.ingress_holders(&route.host).into_iter().filter(|(_, alias)| alias.is_none());
        let beside = holders.map(|(other, _)| other).filter(|other| {
            let nearest = others.of(other).nearest(claims, cx);
            nearest.relation == Relation::Same && !nearest.is_assumed
        });
        let first = beside.min_by(|one, other| {
            precedence::compare((one.created, &one.object_ref), (other.created, &other.object_ref))
        });
        let Some(other) = first.filter(|other| takes(created, &route.host, (other.created, &other.object_ref), cx))
        else {
            continue;
        };
        let host = route.host.to_string();
        let template = "this Ingress is older, so its controller serves {} for it instead of {other}: use another host";
        let finding = found.duplicate(route.host_at, &host, template);
        finding.args([&host]).other(&other.object_ref).claim(&host, None);
    }
}

fn of_route(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let facts = GatewayRouteFacts::without_matches(route);
    // The owner of a Gateway decides where its requests go.
    let is_own = |parent: &ParentFacts| parent.target.namespace == cx.namespace();
    if facts.created.is_none() || facts.parents.iter().all(is_own) {
        return;
    }
    match route.kind() {
        Kind::TlsRoute => of_names(&facts, cx, found),
        Kind::HttpRoute | Kind::GrpcRoute => {
            of_matches(route, &facts, cx, found);
            of_kinds(&facts, cx, found);
        }
        _ => {}
    }
}

/// Whether the object under review, created at `created`, is certainly older than `other`, an object of another namespace with as good
/// a right to `host`.
fn takes(
    created: Timestamp,
    host: &Host<'_>,
    (theirs, other): (Option<Timestamp>, &ObjectRef),
    cx: &Context<'_>,
) -> bool {
    other.namespace != cx.namespace()
        && theirs.is_some_and(|theirs| created < theirs)
        && rival(host, other, theirs, cx) == Some(Rival::Holder)
        && !is_owner(host, cx)
}

/// Whether the route under review takes requests for `host` from `other`, where their ages decide.
fn takes_from(facts: &GatewayRouteFacts, host: &Host<'_>, other: &GatewayRouteFacts, cx: &Context<'_>) -> bool {
    facts.created.is_some_and(|created| takes(created, host, (other.created, &other.object_ref), cx))
}

/// Whether both routes name `host`, so that only their ages decide.
fn both_name(host: &Host<'_>, facts: &GatewayRouteFacts, other: &GatewayRouteFacts) -> bool {
    facts.hosts.contains(host) && other.hosts.contains(host)
}

/// Whether `other` names `host` and takes precedence over the route under review, which then takes nothing.
fn precedes(facts: &GatewayRouteFacts, host: &Host<'_>, other: &GatewayRouteFacts) -> bool {
    let by_age = precedence::compare((other.created, &other.object_ref), (facts.created, &facts.object_ref));
    both_name(host, facts, other) && by_age.is_lt()
}

/// Matches that another HTTPRoute or GRPCRoute has, too.
fn of_matches(route: &Route<'_, '_>, facts: &GatewayRouteFacts, cx: &Context<'_>, found: &mut Findings<'_>) {
    let presence = Presence::of(facts, cx.cluster);
    let Some(matches) = RouteMatches::of(route, &presence, cx.cluster) else { return };
    let claims = matches.claims();
    let part = cx.part.of(&claims);
    let is_victim = |host: &Host<'_>, other: &GatewayRouteFacts| {
        both_name(host, facts, other) && takes_from(facts, host, other, cx)
    };
    for conflict in matches.conflicts(part, is_victim) {
        if matches.others(&conflict).into_iter().any(|other| precedes(facts, &conflict.host, other)) {
            continue;
        }
        let (host, matched) = (conflict.host.to_string(), conflict.matched);
        let template = match route.kind() {
            Kind::GrpcRoute => {
                "this route is older, so it takes method {} on {} from {other}: use another method or host"
            }
            _ => "this route is older, so it takes path {} on {} from {other}: use another path or host",
        };
        let finding = found.duplicate(matched.at, &format!("{host} {}", matched.key), template);
        finding.args([&*matched.display, &*host]).other(&conflict.other.object_ref);
        finding.claim(&host, Some(&matched.key));
    }
}

/// Hosts that another TLSRoute has, too.
fn of_names(facts: &GatewayRouteFacts, cx: &Context<'_>, found: &mut Findings<'_>) {
    let is_victim = |host: &Host<'_>, other: &GatewayRouteFacts| {
        both_name(host, facts, other) && takes_from(facts, host, other, cx)
    };
    let taken = conflict::of_names(facts, cx.cluster, is_victim);
    if taken.is_empty() {
        return;
    }
    let lost = conflict::of_names(facts, cx.cluster, |host, other| precedes(facts, host, other));
    let lost: HashSet<_> = lost.into_iter().map(|conflict| conflict.host).collect();
    for conflict in taken.into_iter().filter(|conflict| !lost.contains(&conflict.host)) {
        let host = conflict.host.to_string();
        let template = "this route is older, so it takes host {} from {other}: use another host";
        let finding = found.duplicate(At::field("spec.hostnames"), &host, template);
        finding.args([&host]).other(&conflict.other.object_ref).claim(&host, None);
    }
}

/// Routes of the other kind that a listener does not accept beside this one.
fn of_kinds(facts: &GatewayRouteFacts, cx: &Context<'_>, found: &mut Findings<'_>) {
    let is_victim = |host: &Host<'_>, other: &GatewayRouteFacts| takes_from(facts, host, other, cx);
    let clashes = kind_lookup::of_kinds(facts, cx.cluster, is_victim);
    for clash in clashes.into_iter().filter(|clash| clash.accepts_this && !clash.is_uncertain) {
        let host = clash.host.to_string();
        let template =
            "this route is older than {other}, which listener {} would not accept beside it: use another host";
        let finding = found.duplicate(At::field("spec.hostnames"), &host, template);
        let finding = finding.without_args().redactable(&clash.listener.name, "of the parent");
        finding.other(&clash.other.object_ref).claim(&host, None);
    }
}
