//! `l4-route/listener-shared`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ParentFacts};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Kind, L4Route, ObjectRef, Route, walk};
use crate::routing::Attachment;

pub static CHECK: Check = Check {
    id: "l4-route/listener-shared",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::ACROSS,
    stricter: &[],
    enforced: None,
    needs: &[Kind::Gateway, Kind::ListenerSet, Kind::Namespace, Kind::TcpRoute, Kind::UdpRoute],
    options: &[],
    page: include_str!("listener_shared.md"),
    run: Run::L4Route(check),
};

fn check(route: &L4Route<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let kind = cx.this.kind;
    // TLS connections are told apart by the host that they ask for.
    if kind == Kind::TlsRoute {
        return;
    }
    let route = Route::L4(kind, route);
    let own = GatewayRouteFacts::of(&route);
    for (at, parent) in walk::route::parent_refs(&route) {
        let Some(reference) = ParentFacts::of(parent, cx.namespace()) else { continue };
        for listener in Attachment::of(&own, &reference, cx.cluster).accepting() {
            let mut others = cx.cluster.routes_of(&reference.target, kind);
            let Some(other) = others.find(|other| attaches(other, &reference.target, listener, cx)) else { continue };
            let name = format!("{} {}", reference.target, listener.name);
            found
                .duplicate(
                    at,
                    &name,
                    "listener {} sends all its connections to one route; {other} attaches to it as well",
                )
                .shown([&*listener.name])
                .other(&other.place);
        }
    }
}

/// Whether `listener`, of the Gateway or ListenerSet at `parent`, takes `route`.
fn attaches(route: &GatewayRouteFacts, parent: &ObjectRef, listener: &ListenerFacts, cx: &Context<'_>) -> bool {
    let means = |reference: &&ParentFacts| {
        reference.target == *parent && reference.section.as_ref().is_none_or(|section| *section == listener.name)
    };
    let is_it = |other: &ListenerFacts| std::ptr::eq(other, listener);
    let mut references = route.parents.iter().filter(means);
    references.any(|reference| Attachment::of(route, reference, cx.cluster).accepting().any(is_it))
}
