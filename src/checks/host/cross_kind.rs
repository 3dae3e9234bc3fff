//! `host/cross-kind`

use std::collections::HashSet;

use super::is_handed_over;
use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;
use crate::routing::Hosts;

pub static CHECK: Check = Check {
    id: "host/cross-kind",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[
        Kind::Ingress,
        Kind::Namespace,
        Kind::Gateway,
        Kind::ListenerSet,
        Kind::HttpRoute,
        Kind::GrpcRoute,
        Kind::TlsRoute,
    ],
    options: &[],
    page: include_str!("cross_kind.md"),
    run: Run::Hosts(check),
};

fn check(hosts: &Hosts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let stranger = match hosts {
        Hosts::Claimed(_) => gateway_stranger,
        Hosts::Of(_) => ingress_stranger,
    };
    let mut told = HashSet::new();
    for claim in hosts.claims(cx.cluster).iter() {
        let Some(other) = stranger(&claim.host, cx) else { continue };
        // A host stands in a rule and in `spec.tls`, or comes from several parents.
        let host = claim.host.to_string();
        if told.contains(&host) {
            continue;
        }
        found.duplicate(claim.at, &host, "host {} is {other}'s too: DNS decides which of them answers").other(other);
        told.insert(host);
    }
}

/// What of the Gateway API in another namespace names `host`.
fn gateway_stranger<'c>(host: &Host<'_>, cx: &Context<'c>) -> Option<&'c ObjectRef> {
    cx.cluster.gateway_strangers(host, cx.namespace()).find(|other| !is_handed_over(host, &other.namespace, cx))
}

/// The first Ingress of another namespace that has a rule for `host`.
fn ingress_stranger<'c>(host: &Host<'_>, cx: &Context<'c>) -> Option<&'c ObjectRef> {
    let others = cx.cluster.ingresses_with_host(host).map(|other| &other.place);
    let strangers = others.filter(|other| other.namespace != cx.namespace());
    strangers.filter(|other| !is_handed_over(host, &other.namespace, cx)).min()
}
