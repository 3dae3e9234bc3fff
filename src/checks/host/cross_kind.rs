//! `host/cross-kind`

use hashbrown::HashSet;

use super::is_handed_over;
use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Lookup;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;
use crate::routing::Hosts;

pub static CHECK: Check = Check {
    id: "host/cross-kind",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::ACROSS,
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
        Kind::IngressRoute,
        Kind::HttpProxy,
    ],
    options: &[],
    page: include_str!("cross_kind.md"),
    run: Run::Hosts(check),
};

fn check(hosts: &Hosts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let mut told = HashSet::new();
    for claim in hosts.claims(cx.cluster).iter() {
        let Some(other) = stranger(&claim.host, cx) else { continue };
        // A host stands in a rule and in `spec.tls`, or comes from several parents.
        let host = claim.host.to_string();
        if told.contains(&host) {
            continue;
        }
        found.duplicate(claim.at, &host, "host {} is {other}'s too: DNS decides which one answers").other(other);
        told.insert(host);
    }
}

/// What serves `host` in another data plane for another namespace: first Ingresses, then listeners, routes and roots, each by place.
fn stranger<'c>(host: &Host<'_>, cx: &Context<'c>) -> Option<&'c ObjectRef> {
    let is_stranger = |other: &&ObjectRef| {
        let is_elsewhere = data_plane(other.kind) != data_plane(cx.this.kind) || is_of_another_class(other, cx);
        other.namespace != cx.namespace() && is_elsewhere && !is_handed_over(host, &other.namespace, cx)
    };
    let ingress = match cx.this.kind {
        Kind::Ingress => None,
        _ => cx.cluster.ingresses_with_host(host).map(|other| &other.place).filter(is_stranger).min(),
    };
    ingress.or_else(|| cx.cluster.strangers_with_host(host, cx.namespace()).find(is_stranger))
}

/// Whether an HTTPProxy is of another class than the one under review, and so of another proxy.
fn is_of_another_class(other: &ObjectRef, cx: &Context<'_>) -> bool {
    let is_alike = (cx.this.kind, other.kind) == (Kind::HttpProxy, Kind::HttpProxy);
    let facts = if is_alike { cx.cluster.delegation(other) } else { Lookup::Unknown };
    matches!(facts, Lookup::Found(facts) if !facts.is_of(cx.subject.class))
}

/// One kind of those that share a data plane.
fn data_plane(kind: Kind) -> Kind {
    if kind.is_gateway_api() { Kind::Gateway } else { kind }
}
