//! `host/tls-route-conflict`

use super::is_handed_over;
use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, L4Route, Route};
use crate::routing::{conflict, precedence};

pub static CHECK: Check = Check {
    id: "host/tls-route-conflict",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::ACROSS,
    stricter: &[],
    enforced: None,
    needs: &[Kind::Namespace, Kind::Gateway, Kind::ListenerSet, Kind::TlsRoute],
    options: &[],
    page: include_str!("tls_route_conflict.md"),
    run: Run::L4Route(check),
};

fn check(route: &L4Route<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if cx.this.kind != Kind::TlsRoute {
        return;
    }
    let facts = GatewayRouteFacts::without_matches(&Route::L4(Kind::TlsRoute, route));
    let own = &facts.place.namespace;
    let clashes = conflict::of_names(&facts, cx.cluster, |host, other| {
        other.place.namespace != *own && is_handed_over(host, &other.place.namespace, cx)
    });
    for clash in clashes {
        let other = clash.other;
        let wins = precedence::compare((facts.created, &facts.place), (other.created, &other.place)).is_lt();
        let template = match wins {
            true => "{} on listener {} is {other}'s too, and this one wins",
            false => "{} on listener {} is {other}'s, which wins",
        };
        let host = clash.host.to_string();
        let finding = found.duplicate(At::field("spec.hostnames"), &host, template);
        finding.shown([&*host, &*clash.listener.name]).other(&other.place);
        if other.place.namespace == *own {
            finding.only_warns();
        }
    }
}
