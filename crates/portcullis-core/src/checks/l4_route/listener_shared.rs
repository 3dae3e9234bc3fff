//! `l4-route/listener-shared`

use crate::checks::host::{Rival, rival};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts, ParentFacts};
use crate::finding::Findings;
use crate::kinds::{Kind, L4Route, Route, walk};
use crate::routing::Attachment;
use crate::routing::attachment::accepts;

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
        for listener in attachment.accepting() {
            let Some((rival, other)) = other_at(parent, listener, kind, cx) else { continue };
            let name = format!("{} {}", reference.target, listener.name);
            let message = "listener {} sends all connections to one route; {other} also attaches to it";
            let finding = found.duplicate(at, &name, message).args([&*listener.name]).other(&other.object_ref);
            if rival == Rival::Squatter {
                finding.only_warns();
            }
        }
    }
}

/// The first other route of `kind` that `listener` of `parent` accepts. A route with a right to the host is preferred
/// to a squatter, and a route of another namespace to one of the same namespace.
fn other_at<'c>(
    parent: &ListenersFacts,
    listener: &ListenerFacts,
    kind: Kind,
    cx: &Context<'c>,
) -> Option<(Rival, &'c GatewayRouteFacts)> {
    let others = cx.cluster.routes_of(&parent.object_ref, kind);
    let mut rivals = others.filter_map(|other| {
        let rival = rival(&listener.host, &other.object_ref, other.created, cx)?;
        accepts(listener, parent, other, cx.cluster).then_some((rival, other))
    });
    let first = rivals.next()?;
    match first.0 {
        Rival::Squatter => rivals.find(|(rival, _)| *rival == Rival::Holder).or(Some(first)),
        Rival::Holder => Some(first),
    }
}
