//! `host/listener-takes-host`

use super::{Rival, rival, rival_by_ownership};
use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::field::At;
use crate::finding::{Findings, Taking};
use crate::kinds::protocol::told_apart_by_host;
use crate::kinds::{Kind, Object, Route, walk};
use crate::matching::Host;
use crate::routing::listener_conflict::{ListenerConflict, losers};
use crate::routing::presence::Presence;
use crate::routing::taken_requests::TakenRequests;
use crate::routing::{Hosts, precedence};

pub static CHECK: Check = Check {
    id: "host/listener-takes-host",
    needs: &[Kind::Namespace, Kind::Gateway, Kind::ListenerSet, Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute],
    page: include_str!("listener_takes_host.md"),
    run: Run::Hosts(check),
    ..Check::conflict(Actions::DENY)
};

fn check(hosts: &Hosts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Hosts::OfObject(object) = hosts else { return };
    let own = match object {
        Object::Gateway(gateway) => ListenersFacts::of_gateway(gateway),
        Object::ListenerSet(set) => ListenersFacts::of_set(set),
        _ => return object.route().iter().for_each(|route| report_newcomer(route, cx, found)),
    };
    let Some(taken) = TakenRequests::new(&own, cx.cluster).filter(|_| own.error.is_none()) else { return };
    let Some(listeners) = object.listeners() else { return };
    let is_of_gateway = taken.gateway().object_ref.namespace == cx.namespace();
    let listeners: Vec<_> = walk::listener::listeners(&listeners).map(|(at, _)| at).zip(&own.listeners).collect();
    for (at, listener) in cx.part.of(&listeners) {
        if report_loser(*at, listener, &taken, &own, cx, found) {
            continue;
        }
        let routes = taken.routes(listener);
        let rivals = routes
            .iter()
            .filter_map(|(host, route)| Some((rival(host, &route.object_ref, route.created, cx)?, host, route)));
        let first = rivals.min_by(|(one, _, route), (other, _, second)| {
            let by_age = precedence::compare((route.created, &route.object_ref), (second.created, &second.object_ref));
            one.cmp(other).then(by_age)
        });
        let Some((rival, host, route)) = first else { continue };
        let template = match is_of_gateway {
            true => "requests for {} reach this listener, which does not accept {other}: let it accept the route",
            false => "requests for {} would reach this listener instead of {other}: use another hostname",
        };
        let identity = format!("{} {} {}", listener.port.unwrap_or_default(), listener.protocol, listener.host);
        let finding = found.duplicate(at.then("hostname"), &identity, template);
        let (own, host) = (listener.host.to_string(), host.to_string());
        // Of a wildcard, the hosts that routes of others name are theirs.
        let finding = match own == host {
            true => finding.args([&host]),
            false => finding.without_args().redactable(&host, "a host"),
        };
        finding.other(&route.object_ref).claim(&own, None).takes(|| {
            let template =
                "requests for {} reach a more specific listener of {other}, which does not accept this route";
            let taking = |(host, route): &(Host<'_>, &GatewayRouteFacts)| {
                Taking::of(&route.object_ref, route.created, template, [&*host.text()])
            };
            routes.iter().map(taking)
        });
        // The owner of the Gateway decides where its requests go.
        if is_of_gateway || rival == Rival::Squatter {
            finding.only_warns();
        }
    }
}

/// Warns the author of a route whose requests reach a more specific listener of another namespace. Of stored objects, the listener is
/// reported.
fn report_newcomer(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if cx.operation == Operation::Stored {
        return;
    }
    // One look-up for a host and each wildcard above it, however many listeners accept the route: most hosts have no such listener.
    let is_named = |host: &Host<'_>| {
        let sets = |host| cx.cluster.naming_outside_namespace(Kind::ListenerSet, &host, cx.namespace()).next();
        host.with_wildcards_above().find_map(sets).is_some()
    };
    let hosts = walk::route::hostnames(route).map(|(at, written)| (at, written, Host::parse(written)));
    let hosts: Vec<_> = hosts.filter(|(.., host)| is_named(host)).collect();
    if hosts.is_empty() {
        return;
    }
    let facts = GatewayRouteFacts::without_matches(route);
    let presence = Presence::of(&facts, cx.cluster);
    let parents = presence.by_parent();
    let parents = parents.filter_map(|(parent, accepting)| Some((TakenRequests::new(parent, cx.cluster)?, accepting)));
    let parents: Vec<_> = parents.collect();
    let listeners = parents.iter().map(|(_, accepting)| accepting.len()).sum();
    for (at, written, host) in cx.part.of_weighted(&hosts, listeners) {
        let taker = parents.iter().find_map(|(taken, accepting)| {
            let is_foreign = |owner: &&ListenersFacts| {
                let namespace = &owner.object_ref.namespace;
                *namespace != taken.gateway().object_ref.namespace && namespace != cx.namespace()
            };
            let mut takers = accepting.iter().filter_map(|(listener, _)| taken.taker(listener, host, &facts));
            takers.find(is_foreign)
        });
        if let Some(owner) = taker {
            let template =
                "requests for {} reach a more specific listener of {other}, which does not accept this route";
            let host = host.to_string();
            let finding = found.duplicate(*at, &host, template).args([*written]).other(&owner.object_ref);
            finding.claim(&host, None).only_warns();
        }
    }
}

/// Reports a listener of another namespace that is not served any more, since `own` takes precedence: only an older
/// ListenerSet does, by an update. Of stored objects, the loser is reported by another check. Returns whether there is one.
fn report_loser(
    at: At,
    listener: &ListenerFacts,
    taken: &TakenRequests<'_, '_>,
    own: &ListenersFacts,
    cx: &Context<'_>,
    found: &mut Findings<'_>,
) -> bool {
    if listener.error.is_some() || cx.operation == Operation::Stored {
        return false;
    }
    let lost = losers(listener, own, cx.cluster).filter(|(.., loser)| {
        let is_foreign = loser.object_ref.namespace != cx.namespace();
        is_foreign && taken.contains(loser) && taken.has_rival(listener, loser)
    });
    let lost: Vec<_> = lost.collect();
    let port = listener.port.unwrap_or_default().to_string();
    let rivals = lost.iter().map(|(reason, protocol, loser)| (*reason, *protocol, *loser));
    let rivals = rivals.filter_map(|loser| Some((rival_by_ownership(&listener.host, &loser.2.object_ref, cx)?, loser)));
    let first = rivals
        .min_by(|(one, (.., loser)), (other, (.., second))| one.cmp(other).then_with(|| loser.precedence(second)));
    let Some((rival, (reason, protocol, loser))) = first else { return false };
    let (field, template) = match reason {
        ListenerConflict::Protocol => {
            ("protocol", "{other} uses port {} with protocol {} and would lose it to this listener: use another port")
        }
        ListenerConflict::Hostname => (
            "hostname",
            "{other} uses port {} with protocol {} and this hostname, and would lose them to this listener: use another \
             hostname",
        ),
    };
    let identity = format!("{port} {} {}", listener.protocol, listener.host);
    let finding = found.duplicate(at.then(field), &identity, template);
    finding.args([&port, protocol]).other(&loser.object_ref).claim(&listener.host.to_string(), None);
    finding.takes(|| {
        let template = "{other} uses port {} with protocol {} and takes precedence";
        let losing = lost.iter().filter(|(_, protocol, _)| told_apart_by_host(&listener.protocol) != Some(*protocol));
        losing.map(|(.., loser)| Taking::of(&loser.object_ref, loser.created, template, [&*port, &*listener.protocol]))
    });
    // The owner of the Gateway decides, and not every controller rejects HTTPS and TLS for one hostname.
    let is_of_gateway = taken.gateway().object_ref.namespace == cx.namespace();
    if is_of_gateway || rival == Rival::Squatter || told_apart_by_host(&listener.protocol) == Some(protocol) {
        finding.only_warns();
    }
    true
}
