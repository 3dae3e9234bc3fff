//! `l4-route/listener-shared`

use crate::checks::host::{Rival, rival};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ParentFacts};
use crate::finding::Findings;
use crate::kinds::{Kind, L4Route, Route, walk};
use crate::matching::Host;
use crate::routing::Attachment;
use crate::routing::used_references::RoutesWithHosts;

pub static CHECK: Check = Check {
    id: "l4-route/listener-shared",
    needs: &[Kind::Gateway, Kind::ListenerSet, Kind::Namespace, Kind::TcpRoute, Kind::UdpRoute],
    page: include_str!("listener_shared.md"),
    run: Run::L4Route(check),
    ..Check::conflict(Actions::ACROSS)
};

fn check(route: &L4Route<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let kind = cx.this.kind;
    // A listener assigns TLS connections to routes by the requested host, so several TLSRoutes can share it.
    if kind == Kind::TlsRoute {
        return;
    }
    let route = Route::L4(kind, route);
    let own = GatewayRouteFacts::of(&route);
    for (at, parent) in walk::route::parent_refs(&route) {
        let Some(reference) = ParentFacts::of(parent, cx.namespace()) else { continue };
        let attachment = Attachment::of(&own, &reference, cx.cluster);
        let Attachment::Decided { parent, .. } = &attachment else { continue };
        let accepting: Vec<&ListenerFacts> = attachment.accepting().collect();
        let rivals = RoutesWithHosts::of(&[Host::Any], parent, &accepting, kind, cx.cluster);
        for (index, listener) in accepting.iter().copied().enumerate() {
            let Some((rival, other)) = other_at(rivals.at(index, cx.cluster), listener, cx) else { continue };
            let name = format!("{} {}", reference.target, listener.name);
            let message = "listener {} sends all connections to one route; {other} also attaches to it";
            let finding = found.duplicate(at, &name, message).args([&*listener.name]).other(&other.object_ref);
            if rival == Rival::Squatter {
                finding.only_warns();
            }
        }
    }
}

/// The first of the routes that `listener` accepts: one with a right to the host before a squatter, one of another
/// namespace before one of the same namespace, then the oldest, then the first by reference.
fn other_at<'c>(
    others: impl Iterator<Item = &'c GatewayRouteFacts>,
    listener: &ListenerFacts,
    cx: &Context<'c>,
) -> Option<(Rival, &'c GatewayRouteFacts)> {
    let rivals = others.filter_map(|other| Some((rival(&listener.host, &other.object_ref, other.created, cx)?, other)));
    rivals.min_by_key(|(rival, GatewayRouteFacts { object_ref, created, .. })| {
        (*rival, object_ref.namespace == cx.namespace(), created.is_none(), *created, object_ref)
    })
}
