//! `host/decided-by-age`

use super::{Rival, rival};
use crate::checks::{Actions, Check, Context, Run, When};
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::finding::Findings;
use crate::kinds::{Kind, Route};
use crate::matching::Host;
use crate::matching::request::has_narrower_matches;
use crate::routing::conflict;

pub static CHECK: Check = Check {
    id: "host/decided-by-age",
    needs: &[Kind::Namespace, Kind::Gateway, Kind::ListenerSet, Kind::HttpRoute, Kind::GrpcRoute],
    page: include_str!("decided_by_age.md"),
    when: When::Stored,
    run: Run::Route(check),
    ..Check::conflict(Actions::WARN)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // Matches without conditions tie only where they are equal, which `host/route-conflict` reports.
    if !has_narrower_matches(route) || !cx.cluster.has_routes(route.kind()) {
        return;
    }
    let facts = GatewayRouteFacts::without_matches(route);
    let is_rival = |host: &Host<'_>, other: &GatewayRouteFacts| {
        rival(host, &other.object_ref, other.created, cx) == Some(Rival::Holder)
    };
    for tie in conflict::ties(route, &facts, cx.cluster, is_rival) {
        let template = match route.kind() {
            Kind::GrpcRoute => {
                "method {} on {} ties with {other} for some requests, which go to the older route: add a condition"
            }
            _ => "path {} on {} ties with {other} for some requests, which go to the older route: add a condition",
        };
        let host = tie.host.described();
        let value = format!("{} {}", tie.host, tie.matched.key);
        let finding = found.duplicate(tie.matched.at, &value, template);
        finding.args([&*tie.matched.display, &*host]).other(&tie.other.object_ref);
        finding.claim(&tie.host.to_string(), Some(&tie.matched.key));
    }
}
