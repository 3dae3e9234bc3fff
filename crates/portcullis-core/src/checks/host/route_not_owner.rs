//! `host/route-not-owner`

use super::is_moving;
use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::cluster::gateway_facts::{DEFAULT_GATEWAYS, GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::cluster::ownership::OwnershipDecision;
use crate::finding::Findings;
use crate::kinds::{Kind, Object, walk};
use crate::routing::Hosts;
use crate::routing::attachment::accepts;

pub static CHECK: Check = Check {
    id: "host/route-not-owner",
    needs: &[Kind::Namespace, Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute],
    page: include_str!("route_not_owner.md"),
    run: Run::Hosts(check),
    ..Check::tenancy(Actions::WARN)
};

/// The kinds of routes that inherit the hosts of listeners if they have no hostnames.
const ROUTES: [Kind; 4] = [Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute];

fn check(hosts: &Hosts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // For stored objects, `host/not-owned` reports the route itself.
    if cx.ownership.is_empty() || cx.operation == Operation::Stored {
        return;
    }
    let Hosts::Of(object) = hosts else { return };
    let facts = match object {
        Object::Gateway(gateway) => ListenersFacts::of_gateway(gateway),
        Object::ListenerSet(set) => ListenersFacts::of_set(set),
        _ => return,
    };
    let Some(listeners) = object.listeners() else { return };
    for (at, listener) in walk::host::answered(&listeners) {
        let listener = ListenerFacts::of(listener);
        let targets = std::iter::once(&facts.object_ref).chain(facts.is_default.then_some(&DEFAULT_GATEWAYS));
        let routes = targets.flat_map(|target| ROUTES.into_iter().flat_map(|kind| cx.cluster.routes_of(target, kind)));
        let strangers = routes.filter(|route| is_stranger(route, &listener, &facts, cx));
        let Some(route) = strangers.min_by_key(|route| &route.object_ref) else { continue };
        let host = listener.host.to_string();
        let message = "{other} does not own host {} but gets it from listener {}: limit allowedRoutes";
        found.forbidden(at, &host, message).args([&*host, &*listener.name]).other(&route.object_ref);
    }
}

/// Whether `listener` accepts a route without hostnames whose namespace may not claim the host of the listener.
fn is_stranger(route: &GatewayRouteFacts, listener: &ListenerFacts, facts: &ListenersFacts, cx: &Context<'_>) -> bool {
    let namespace = &*route.object_ref.namespace;
    route.hosts.is_empty()
        && accepts(listener, facts, route, cx.cluster)
        && !is_moving(&listener.host, namespace, cx)
        && matches!(
            cx.ownership.claim(&listener.host, namespace, cx.cluster),
            OwnershipDecision::Owned { .. } | OwnershipDecision::Unlisted
        )
}
