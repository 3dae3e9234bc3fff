//! `host/route-takes-requests`

use hashbrown::HashSet;

use super::{Rival, path_before_host, rival};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::finding::Findings;
use crate::kinds::{Kind, Route};
use crate::matching::Host;
use crate::matching::request::has_narrower_matches;
use crate::routing::conflict::NarrowerMatches;
use crate::routing::presence::Presence;

pub static CHECK: Check = Check {
    id: "host/route-takes-requests",
    needs: &[Kind::Namespace, Kind::GatewayClass, Kind::Gateway, Kind::ListenerSet, Kind::HttpRoute, Kind::GrpcRoute],
    page: include_str!("route_takes_requests.md"),
    run: Run::Route(check),
    ..Check::conflict(Actions::ACROSS)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    path_before_host::check(route, cx, found);
    // Most routes have only prefixes without conditions, and their listeners are not looked at.
    if !has_narrower_matches(route) || !cx.cluster.has_routes(route.kind()) {
        return;
    }
    let facts = GatewayRouteFacts::without_matches(route);
    let is_rival = |host: &Host<'_>, other: &GatewayRouteFacts| {
        other.object_ref.namespace != facts.object_ref.namespace
            && rival(host, &other.object_ref, other.created, cx) == Some(Rival::Holder)
    };
    let presence = Presence::of(&facts, cx.cluster);
    let Some(matches) = NarrowerMatches::of(route, &presence, cx.cluster) else { return };
    let mut reported = HashSet::new();
    for taken in matches.taken(cx.part.of(matches.own()), is_rival) {
        if !reported.insert((taken.host.clone(), &taken.other.object_ref)) {
            continue;
        }
        let host = taken.host.to_string();
        let template = match (route.kind(), taken.matched.has_conditions) {
            (Kind::GrpcRoute, false) => "method {} on {} takes requests from {other}: use a host or method of your own",
            (Kind::GrpcRoute, true) => {
                "method {} on {} with these headers takes requests from {other}: use a host or method of your own"
            }
            (_, true) => {
                "path {} on {} with these conditions takes requests from {other}: use a host or path of your own"
            }
            (_, false) => "path {} on {} takes requests from {other}: use a path of your own",
        };
        let identity = format!("{host} {}", taken.matched.matched.key);
        let finding = found.duplicate(taken.matched.matched.at, &identity, template);
        let finding = finding.args([&*taken.matched.matched.display]);
        let described = taken.host.described();
        match route.hostnames().is_empty() {
            true => finding.redactable(&described, "a host of the listener"),
            false => finding.also(&described),
        };
        finding.other(&taken.other.object_ref).claim(&host, Some(&taken.matched.matched.key));
    }
}
