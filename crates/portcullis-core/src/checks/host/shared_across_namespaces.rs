//! `host/shared-across-namespaces`

use std::cell::OnceCell;

use hashbrown::{HashMap, HashSet};

use super::other_ingress::OtherIngresses;
use super::{Rival, rival};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::cluster::{ClosestRelation, Relation};
use crate::field::At;
use crate::finding::{Action, Findings};
use crate::kinds::{Kind, ObjectRef, Route};
use crate::matching::host::Form;
use crate::matching::{Claims, Host, PathType};
use crate::routing::{Hosts, neighbors};

pub static CHECK: Check = Check {
    id: "host/shared-across-namespaces",
    needs: &[
        Kind::Ingress,
        Kind::IngressClass,
        Kind::Namespace,
        Kind::Gateway,
        Kind::ListenerSet,
        Kind::HttpRoute,
        Kind::GrpcRoute,
    ],
    page: include_str!("shared_across_namespaces.md"),
    run: Run::Hosts(check),
    ..Check::conflict(Actions::new(Action::Off, Action::Warn, Action::Off))
};

fn check(hosts: &Hosts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    match hosts {
        Hosts::OfIngress(claims) => of_ingress(claims, cx, found),
        Hosts::OfObject(object) => match object.route() {
            Some(route) if matches!(route.kind(), Kind::HttpRoute | Kind::GrpcRoute) => of_route(&route, cx, found),
            _ => {}
        },
    }
}

fn of_ingress(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (mut others, paths) = (OtherIngresses::default(), OnceCell::new());
    for position in cx.part.of(claims.first_by_host()) {
        let route = &claims.routes[*position];
        let holders = cx.cluster.ingress_holders(&route.host).into_iter();
        let by_rule = holders.filter(|(_, alias)| alias.is_none()).map(|(other, _)| other);
        let foreign = by_rule.filter(|other| other.object_ref.namespace != cx.namespace());
        let rivals = foreign.filter_map(|other| {
            let known = others.of(other);
            // `host/path-conflict` reports a path that both have.
            let has_same_path = || {
                let mut theirs = known.routes_of(&route.host).iter();
                let own = &paths.get_or_init(|| paths_by_host(claims))[&route.host.parts()];
                theirs.any(|theirs| own.contains(&(theirs.kind, &*theirs.path)))
            };
            if !is_shared(known.nearest(claims, cx)) || has_same_path() {
                return None;
            }
            let rival = rival(&route.host, &other.object_ref, other.created, cx)?;
            Some((rival, &other.object_ref))
        });
        if let Some((rival, other)) = rivals.min() {
            report(route.host_at, &route.host, rival, other, found);
        }
    }
}

fn paths_by_host<'c>(claims: &'c Claims<'_>) -> HashMap<(Form, &'c str), HashSet<(PathType, &'c str)>> {
    let mut paths: HashMap<_, HashSet<_>> = HashMap::new();
    for route in &claims.routes {
        let path = route.path.as_ref().map(|path| (path.kind, &*path.text));
        paths.entry(route.host.parts()).or_default().extend(path);
    }
    paths
}

/// Whether both Ingresses are served by the same data plane, or may be if their controller is unknown.
const fn is_shared(nearest: ClosestRelation<'_>) -> bool {
    matches!(nearest.relation, Relation::Same) || (nearest.is_assumed && matches!(nearest.relation, Relation::Related))
}

fn of_route(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let facts = GatewayRouteFacts::without_matches(route);
    let mut seen = HashSet::new();
    for (host, others) in neighbors(&facts, cx.cluster) {
        let rivals =
            others.into_iter().filter(|other| other.object_ref.namespace != cx.namespace()).filter_map(|other| {
                let rival = rival(&host, &other.object_ref, other.created, cx)?;
                Some((rival, &other.object_ref))
            });
        if let Some((rival, other)) = rivals.min()
            && seen.insert(host.to_string())
        {
            report(At::field("spec.hostnames"), &host, rival, other, found);
        }
    }
}

fn report(at: At, host: &Host<'_>, rival: Rival, other: &ObjectRef, found: &mut Findings<'_>) {
    let host = host.to_string();
    let template = match rival {
        Rival::Holder => "host {} is also served by {other} in another namespace",
        Rival::Squatter => "{other} also serves host {} without owning it",
    };
    let finding = found.duplicate(at, &host, template);
    finding.other(other);
    if rival == Rival::Squatter {
        finding.only_warns();
    }
}
