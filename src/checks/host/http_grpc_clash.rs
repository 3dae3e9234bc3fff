//! `host/http-grpc-clash`

use super::is_handed_over;
use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, Route};
use crate::routing::kind_clash;

pub static CHECK: Check = Check {
    id: "host/http-grpc-clash",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::ACROSS,
    stricter: &[],
    enforced: None,
    needs: &[Kind::Namespace, Kind::Gateway, Kind::ListenerSet, Kind::HttpRoute, Kind::GrpcRoute],
    options: &[],
    page: include_str!("http_grpc_clash.md"),
    run: Run::Route(check),
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let facts = GatewayRouteFacts::without_matches(route);
    let clashes = kind_clash::of_kinds(&facts, cx.cluster, |host, other| {
        other.place.namespace != facts.place.namespace && is_handed_over(host, &other.place.namespace, cx)
    });
    for clash in clashes {
        let other = clash.other;
        let template = match clash.is_taken {
            true => "listener {} sends {} here, not to {other}: HTTP or gRPC, not both",
            false => "listener {} sends {} to {other}, not here: HTTP or gRPC, not both",
        };
        let host = clash.host.to_string();
        let finding = found.duplicate(At::field("spec.hostnames"), &host, template);
        finding.shown([&*clash.listener.name, &host]).other(&other.place);
    }
}
