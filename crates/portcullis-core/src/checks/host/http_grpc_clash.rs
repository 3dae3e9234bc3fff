//! `host/http-grpc-clash`

use super::RouteRivals;
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::field::At;
use crate::finding::{Findings, Taking};
use crate::kinds::{Kind, Route};
use crate::matching::Host;
use crate::routing::attachment::common_hosts;
use crate::routing::kind_lookup::{self, KindClash};

pub static CHECK: Check = Check {
    id: "host/http-grpc-clash",
    needs: &[Kind::Namespace, Kind::Gateway, Kind::ListenerSet, Kind::HttpRoute, Kind::GrpcRoute],
    page: include_str!("http_grpc_clash.md"),
    run: Run::Route(check),
    ..Check::conflict(Actions::ACROSS)
};

/// Replaces the name of a listener where names of other namespaces are redacted, since its Gateway may be in one.
const LISTENER: &str = "of the parent";

/// Replaces a host that only the other route names.
const HOST: &str = "one of its hosts";

/// The message for the owners of the route that is not accepted.
const LOST: &str = "listener {} accepts only one kind of route for {}, here {other}: use another host";

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let facts = GatewayRouteFacts::without_matches(route);
    let rivals = RouteRivals::new(cx);
    let is_rival =
        |host: &Host<'_>, other: &GatewayRouteFacts| rivals.note_holder(host, &other.object_ref, other.created);
    for clash in kind_lookup::of_kinds(&facts, cx.cluster, is_rival) {
        let other = clash.other;
        let template = match clash.accepts_this {
            true => {
                "listener {} accepts only one kind of route for {}, and this one precedes {other}: use another host"
            }
            false => LOST,
        };
        let (host, described) = (clash.host.to_string(), clash.host.described());
        let finding = found.duplicate(At::field("spec.hostnames"), &host, template);
        let finding = finding.without_args().redactable(&clash.listener.name, LISTENER);
        let finding = match is_own(&clash, &facts) {
            true => finding.also(&described),
            false => finding.redactable(&described, HOST),
        };
        finding.other(&other.object_ref);
        finding.claim(&host, None);
        match (clash.is_uncertain, clash.accepts_this) {
            (true, _) => finding.only_warns(),
            (false, true) => finding
                .takes(|| [Taking::of(&other.object_ref, other.created, LOST, [&*clash.listener.name, &*described])]),
            (false, false) => finding.loses(),
        };
    }
    if !rivals.has_squatters() {
        return;
    }
    let is_squatter = |host: &Host<'_>, other: &GatewayRouteFacts| rivals.squats(host, &other.object_ref);
    for clash in kind_lookup::of_kinds(&facts, cx.cluster, is_squatter) {
        let host = clash.host.to_string();
        let template = "{other} uses host {} on listener {} without owning it";
        let finding = found.duplicate(At::field("spec.hostnames"), &host, template);
        let finding = match is_own(&clash, &facts) {
            true => finding.args([&host]),
            false => finding.without_args().redactable(&host, HOST),
        };
        finding.redactable(&clash.listener.name, LISTENER).other(&clash.other.object_ref).only_warns();
    }
}

/// Whether the route under review has the host of the clash itself, and does not only cover it.
fn is_own(clash: &KindClash<'_>, facts: &GatewayRouteFacts) -> bool {
    common_hosts(facts, clash.listener).contains(&clash.host)
}
