//! `host/not-unique`

use hashbrown::HashSet;

use super::{Rival, own_mark, rival, their_mark};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::IngressFacts;
use crate::field::At;
use crate::finding::{Finding, Findings};
use crate::kinds::Route;
use crate::kinds::{Kind, ObjectRef, walk};
use crate::matching::claimed_host::ClaimLocation;
use crate::matching::mark::is_solver_route;
use crate::matching::{Claims, Host, Mark};
use crate::routing::Hosts;
use crate::routing::host_holders::{self, Among};

pub static CHECK: Check = Check {
    id: "host/not-unique",
    needs: &[Kind::Ingress, Kind::IngressClass, Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute],
    page: include_str!("not_unique.md"),
    run: Run::Hosts(check),
    ..Check::conflict(Actions::OFF)
};

fn check(hosts: &Hosts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    match hosts {
        Hosts::OfIngress(claims) => of_ingress(claims, cx, found),
        Hosts::OfObject(object) => {
            if let Some(route) = object.route().filter(|route| !is_solver_route(route)) {
                of_route(&route, cx, found);
            }
        }
    }
}

fn of_ingress(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if claims.mark == Mark::AcmeSolver {
        return;
    }
    let mut seen = HashSet::new();
    let rules = claims.hosts.iter().filter(|claim| claim.is_rule() && claim.host != Host::Any);
    for claim in cx.part.within(rules.filter(|claim| seen.insert(&claim.host))) {
        let ClaimLocation::At(at) = claim.at else { continue };
        let others = host_holders::ingresses(&claim.host, Among::Others, cx.cluster);
        let rivals = others
            .filter(|other| !is_canary_pair(claims, other, cx))
            .filter_map(|other| Some((rival(&claim.host, &other.object_ref, other.created, cx)?, &other.object_ref)));
        if let Some((rival, other)) = rivals.min() {
            report(at, claim.written, rival, other, found);
        }
    }
}

/// Whether one of the two Ingresses is a canary of the other, which has the same hosts on purpose.
fn is_canary_pair(claims: &Claims<'_>, other: &IngressFacts, cx: &Context<'_>) -> bool {
    other.object_ref.namespace == cx.namespace()
        && (own_mark(claims, cx) == Mark::Canary) != (their_mark(other, cx) == Mark::Canary)
}

fn of_route(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    for (at, written) in walk::route::hostnames(route) {
        let host = Host::parse(written);
        if host == Host::Any || !seen.insert(host.clone()) {
            continue;
        }
        let others = host_holders::routes(route.kind(), &host, Among::Others, cx.cluster);
        let rivals =
            others.filter_map(|other| Some((rival(&host, &other.object_ref, other.created, cx)?, &other.object_ref)));
        if let Some((rival, other)) = rivals.min() {
            report(at, written, rival, other, found).claim(&host.to_string(), None);
        }
    }
}

fn report<'f>(at: At, written: &str, rival: Rival, other: &ObjectRef, found: &'f mut Findings<'_>) -> &'f mut Finding {
    let host = Host::parse(written).to_string();
    let template = match rival {
        Rival::Holder => "host {} is already in {other}, and only one object may have it: add your paths there",
        Rival::Squatter => "{other} also has host {} without owning it",
    };
    let finding = found.duplicate(at, &host, template);
    finding.args([written]).other(other);
    if rival == Rival::Squatter {
        finding.only_warns();
    }
    finding
}
