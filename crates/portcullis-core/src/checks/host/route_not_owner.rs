//! `host/route-not-owner`

use super::is_moving;
use crate::checks::{Actions, Check, Context, Operation, Run};
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::cluster::ownership::OwnershipDecision;
use crate::finding::Findings;
use crate::kinds::{Kind, Object, walk};
use crate::matching::Host;
use crate::routing::Hosts;
use crate::routing::used_references::RoutesWithHosts;

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
    if cx.ownership.is_empty(cx.cluster) || cx.operation == Operation::Stored {
        return;
    }
    let Hosts::OfObject(object) = hosts else { return };
    let facts = match object {
        Object::Gateway(gateway) => ListenersFacts::of_gateway(gateway),
        Object::ListenerSet(set) => ListenersFacts::of_set(set),
        _ => return,
    };
    let Some(listeners) = object.listeners() else { return };
    let answered: Vec<_> = walk::host::answered(&listeners).collect();
    let all: Vec<ListenerFacts> = answered.iter().map(|(_, listener)| ListenerFacts::of(listener)).collect();
    let all: Vec<&ListenerFacts> = all.iter().collect();
    let routes = ROUTES.map(|kind| RoutesWithHosts::of(&[Host::Any], &facts, &all, kind, cx.cluster));
    for (index, ((at, _), listener)) in answered.into_iter().zip(&all).enumerate() {
        let routes = routes.iter().flat_map(|routes| routes.at(index, cx.cluster));
        let strangers = routes.filter(|route| is_stranger(route, listener, cx));
        let Some(route) = strangers.min_by_key(|route| &route.object_ref) else { continue };
        let host = listener.host.to_string();
        let message = "{other} does not own host {} but gets it from listener {}: limit allowedRoutes";
        let finding = found.forbidden(at, &host, message).args([&*host, &*listener.name]).other(&route.object_ref);
        // Only one of the routes is named, so a listener that accepts more of them would have the same identity.
        finding.claim(&host, None);
    }
}

/// Whether the namespace of a route without hostnames may not claim the host of the listener that accepts the route.
fn is_stranger(route: &GatewayRouteFacts, listener: &ListenerFacts, cx: &Context<'_>) -> bool {
    let namespace = &*route.object_ref.namespace;
    route.hosts.is_empty()
        && !is_moving(&listener.host, namespace, cx)
        && matches!(
            cx.ownership.claim(&listener.host, namespace, cx.cluster),
            OwnershipDecision::Owned { .. } | OwnershipDecision::Unlisted | OwnershipDecision::Unclaimed { .. }
        )
}
