//! `host/tls-route-conflict`

use std::cmp::Ordering;

use super::{PrecedingRoute, RouteRivals};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::field::At;
use crate::finding::{Findings, Taking};
use crate::kinds::{Kind, L4Route, Route};
use crate::matching::Host;
use crate::routing::conflict;

pub static CHECK: Check = Check {
    id: "host/tls-route-conflict",
    needs: &[Kind::Namespace, Kind::Gateway, Kind::ListenerSet, Kind::TlsRoute],
    page: include_str!("tls_route_conflict.md"),
    run: Run::L4Route(check),
    ..Check::conflict(Actions::ACROSS)
};

/// The message about a host that another route gets.
const LOST: &str = "{} on listener {} is already taken by {other}, which takes precedence";

fn check(route: &L4Route<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if cx.this.kind != Kind::TlsRoute {
        return;
    }
    let facts = GatewayRouteFacts::without_matches(&Route::L4(Kind::TlsRoute, route));
    let own = &facts.object_ref.namespace;
    let rivals = RouteRivals::new(cx);
    let is_rival =
        |host: &Host<'_>, other: &GatewayRouteFacts| rivals.note_holder(host, &other.object_ref, other.created);
    for clash in conflict::of_names(&facts, cx.cluster, is_rival) {
        let other = clash.other;
        let winner =
            PrecedingRoute::of(Ordering::Equal, &clash.host, facts.created, (other.created, &other.object_ref), cx);
        let template = match winner {
            PrecedingRoute::Other => LOST,
            PrecedingRoute::This => "{} on listener {} is also taken by {other}; this route takes precedence",
            PrecedingRoute::Either => "{} on listener {} is also taken by {other}; remove it from one of the two",
        };
        let host = clash.host.to_string();
        let finding = found.duplicate(At::field("spec.hostnames"), &host, template);
        finding.args([&*host]).redactable(&clash.listener.name, "of the parent").other(&other.object_ref);
        finding.claim(&host, None);
        // A hostname of the route precedes one that only the listener makes so specific.
        let names = |route: &GatewayRouteFacts| route.hosts.contains(&clash.host);
        match winner {
            PrecedingRoute::Other if names(other) >= names(&facts) => {
                finding.loses();
            }
            PrecedingRoute::This if names(&facts) >= names(other) => {
                finding.takes(|| [Taking::of(&other.object_ref, other.created, LOST, [&*host, &*clash.listener.name])]);
            }
            _ => {}
        }
        if other.object_ref.namespace == *own {
            finding.only_warns();
        }
    }
    if !rivals.has_squatters() {
        return;
    }
    let is_squatter = |host: &Host<'_>, other: &GatewayRouteFacts| rivals.squats(host, &other.object_ref);
    for clash in conflict::of_names(&facts, cx.cluster, is_squatter) {
        let host = clash.host.to_string();
        let template = "{} is also served by {other}, which does not own the host: ask its owner to remove it";
        let finding = found.duplicate(At::field("spec.hostnames"), &host, template);
        finding.args([&host]).other(&clash.other.object_ref).only_warns();
    }
}
