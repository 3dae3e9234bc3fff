//! `host/listener-takes-host`

use super::{Rival, rival};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::ListenersFacts;
use crate::finding::Findings;
use crate::kinds::{Kind, Object, walk};
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
    let Hosts::Of(object) = hosts else { return };
    let own = match object {
        Object::Gateway(gateway) => ListenersFacts::of_gateway(gateway),
        Object::ListenerSet(set) => ListenersFacts::of_set(set),
        _ => return,
    };
    let Some(taken) = TakenRequests::new(&own, cx.cluster).filter(|_| own.error.is_none()) else { return };
    let Some(listeners) = object.listeners() else { return };
    let is_of_gateway = taken.gateway().object_ref.namespace == cx.namespace();
    let listeners: Vec<_> = walk::listener::listeners(&listeners).map(|(at, _)| at).zip(&own.listeners).collect();
    for (at, listener) in cx.part.of(&listeners) {
        let rivals = taken
            .routes(listener)
            .into_iter()
            .filter_map(|(host, route)| Some((rival(&host, &route.object_ref, route.created, cx)?, host, route)));
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
        finding.other(&route.object_ref).claim(&own, None);
        // The owner of the Gateway decides where its requests go.
        if is_of_gateway || rival == Rival::Squatter {
            finding.only_warns();
        }
    }
}
