//! `host/route-conflict`

use super::{PrecedingRoute, RouteRivals};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::finding::{Finding, Findings, Taking};
use crate::kinds::{Kind, Route};
use crate::matching::Host;
use crate::routing::conflict::{RouteMatches, by_host};
use crate::routing::presence::Presence;

pub static CHECK: Check = Check {
    id: "host/route-conflict",
    needs: &[Kind::Namespace, Kind::Gateway, Kind::ListenerSet, Kind::HttpRoute, Kind::GrpcRoute],
    page: include_str!("route_conflict.md"),
    run: Run::Route(check),
    ..Check::conflict(Actions::ACROSS)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let facts = GatewayRouteFacts::without_matches(route);
    let own = &facts.object_ref.namespace;
    let rivals = RouteRivals::new(cx);
    let is_rival =
        |host: &Host<'_>, other: &GatewayRouteFacts| rivals.note_holder(host, &other.object_ref, other.created);
    let presence = Presence::of(&facts, cx.cluster);
    let Some(matches) = RouteMatches::of(route, &presence, cx.cluster) else { return };
    let claims = matches.claims();
    let part = cx.part.of(&claims);
    for conflict in matches.conflicts(part, is_rival) {
        let other = conflict.other;
        let winner_beside = |other: &GatewayRouteFacts| {
            let by_host = by_host(&conflict.host, &facts, other);
            PrecedingRoute::of(by_host, &conflict.host, facts.created, (other.created, &other.object_ref), cx)
        };
        let winner = winner_beside(other);
        let template = template(route.kind(), winner);
        let (host, described) = (conflict.host.to_string(), conflict.host.described());
        let finding = found.duplicate(conflict.matched.at, &format!("{host} {}", conflict.matched.key), template);
        show(finding.args([&*conflict.matched.display]), &described, route).other(&other.object_ref);
        finding.claim(&host, Some(&conflict.matched.key));
        match winner {
            PrecedingRoute::Other => {
                finding.loses();
            }
            PrecedingRoute::This => {
                finding.takes(|| {
                    let mut others = matches.others(&conflict);
                    // Where one of them precedes this route, the others lose to that one.
                    if others.iter().any(|other| winner_beside(other) != PrecedingRoute::This) {
                        others.clear();
                    }
                    let template = self::template(route.kind(), PrecedingRoute::Other);
                    let args = [&*conflict.matched.display, &*described];
                    others.into_iter().map(move |other| Taking::of(&other.object_ref, other.created, template, args))
                });
            }
            PrecedingRoute::Either => {}
        }
        if other.object_ref.namespace == *own {
            finding.only_warns();
        }
    }
    if !rivals.has_squatters() {
        return;
    }
    let is_squatter = |host: &Host<'_>, other: &GatewayRouteFacts| rivals.squats(host, &other.object_ref);
    for conflict in matches.conflicts(part, is_squatter) {
        let host = conflict.host.to_string();
        let template = match route.kind() {
            Kind::GrpcRoute => {
                "method {} on {} is also served by {other}, which does not own the host: ask its owner to remove it"
            }
            _ => "path {} on {} is also served by {other}, which does not own the host: ask its owner to remove it",
        };
        let finding = found.duplicate(conflict.matched.at, &format!("{host} {}", conflict.matched.key), template);
        let finding = show(finding.args([&*conflict.matched.display]), &host, route);
        finding.other(&conflict.other.object_ref).only_warns();
    }
}

/// Adds the host to the arguments. The host of a route without hostnames was written by the owner of the Gateway.
fn show<'f>(finding: &'f mut Finding, host: &str, route: &Route<'_, '_>) -> &'f mut Finding {
    match route.hostnames().is_empty() {
        true => finding.redactable(host, "a host of the listener"),
        false => finding.also(host),
    }
}

/// The message about a route that matches the same requests, by which of the two takes precedence.
const fn template(kind: Kind, winner: PrecedingRoute) -> &'static str {
    match (kind, winner) {
        (Kind::GrpcRoute, PrecedingRoute::Other) => {
            "method {} on {} is already matched by {other}, which takes precedence"
        }
        (Kind::GrpcRoute, PrecedingRoute::This) => {
            "method {} on {} is already matched by {other}, from which this route would take the requests"
        }
        (Kind::GrpcRoute, PrecedingRoute::Either) => {
            "method {} on {} is also matched by {other}; remove it from one of the two"
        }
        (_, PrecedingRoute::Other) => "path {} on {} is already matched by {other}, which takes precedence",
        (_, PrecedingRoute::This) => {
            "path {} on {} is already matched by {other}, from which this route would take the requests"
        }
        (_, PrecedingRoute::Either) => "path {} on {} is also matched by {other}; remove it from one of the two",
    }
}
