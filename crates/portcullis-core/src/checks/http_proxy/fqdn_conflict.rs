//! `http-proxy/fqdn-conflict`

use hashbrown::HashSet;

use crate::checks::host::{Rival, is_unordered, rival};
use crate::checks::{Actions, Check, Context, Run, delegation};
use crate::cluster::{IngressClaim, IngressFacts, PlaneKey};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::http_proxy::{MatchCondition, ProxyRoute};
use crate::kinds::{HttpProxy, Kind, walk};
use crate::matching::path_interpretation::{NotatedPath, PathNotation};
use crate::matching::simple_expression::every_path_after;
use crate::matching::{Host, PathType};
use crate::routing::shared_proxy::{ServedBy, SharedProxy};

pub static CHECK: Check = Check {
    id: "http-proxy/fqdn-conflict",
    needs: &[Kind::Ingress, Kind::IngressClass, Kind::HttpProxy],
    page: include_str!("fqdn_conflict.md"),
    run: Run::HttpProxy(check),
    ..Check::conflict(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(virtualhost) = &proxy.spec.virtualhost else { return };
    if cx.part.is_first() {
        delegation::host_taken(Kind::HttpProxy, proxy.class(), &virtualhost.fqdn, cx, found);
    }
    let host = Host::parse(&virtualhost.fqdn);
    if matches!(host, Host::Precise(_)) && cx.config.may_hold_roots(Kind::HttpProxy.api().kind, cx.namespace()) {
        replaced_paths(proxy, &host, cx, found);
        if cx.part.is_first() {
            replaced_host(proxy, &host, cx, found);
        }
    }
}

/// Reports what takes all requests for the host, or all TLS connections, from an Ingress: Contour tries expressions before the prefixes of
/// Ingresses, and passes the connections on without a look at paths.
fn replaced_host(proxy: &HttpProxy<'_>, host: &Host<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let every = walk::http_proxy::routes(proxy).find_map(|(at, route)| Some((at, every_path(route)?)));
    let tcpproxy = proxy.spec.tcpproxy.as_ref().map(|_| At::field("spec.tcpproxy"));
    if every.is_none() && tcpproxy.is_none() {
        return;
    }
    let own = ServedBy::Contour(proxy.class());
    let holders = cx.cluster.ingress_holders(host).into_iter().filter(|(_, alias)| alias.is_none());
    let beside = holders.map(|(other, _)| other).filter(|other| {
        let classes = ServedBy::Classes(other.classes().collect());
        other.object_ref.namespace != cx.namespace()
            && SharedProxy::of(&own, &classes, cx.data_planes, cx.cluster) == SharedProxy::Contour
            && rival(host, &other.object_ref, other.created, cx) == Some(Rival::Holder)
    });
    let beside: Vec<&IngressFacts> = beside.collect();
    let host_text = host.to_string();
    let has_prefix = |other: &&IngressFacts| {
        let mut routes = other.routes.iter();
        routes.any(|route| route.host() == *host && route.kind == PathType::Prefix)
    };
    if let Some((at, expression)) = every
        && let Some(other) = oldest(beside.iter().copied().filter(has_prefix))
    {
        let template =
            "expression {} matches every path on {}, so this HTTPProxy takes requests of {other}: use another host";
        let finding = found.duplicate(at, &host_text, template);
        finding.args([expression, &*host_text]).other(&other.object_ref).claim(&host_text, None);
        if is_unordered(host, other.created, cx) {
            finding.only_warns();
        }
    }
    if let Some(at) = tcpproxy
        && let Some(other) = oldest(beside.iter().copied().filter(|other| other.has_tls))
    {
        let template = "tcpproxy takes all TLS connections to {} from {other}: use another host";
        let finding = found.duplicate(at, &host_text, template);
        finding.args([&*host_text]).other(&other.object_ref).claim(&host_text, None);
        // The certificate may be for another host of the Ingress.
        let is_certain = other.routes.iter().all(|route| route.host() == *host);
        if !is_certain || is_unordered(host, other.created, cx) {
            finding.only_warns();
        }
    }
}

/// The first of these Ingresses.
fn oldest<'c>(others: impl Iterator<Item = &'c IngressFacts>) -> Option<&'c IngressFacts> {
    others.min_by_key(|other| (other.created.is_none(), other.created, &other.object_ref))
}

/// The expression of a route that matches every path and has no other condition.
fn every_path<'p>(route: &'p ProxyRoute<'_>) -> Option<&'p str> {
    let [condition] = &route.conditions[..] else { return None };
    match condition {
        MatchCondition {
            regex: Some(regex), prefix: None, exact: None, header: None, query_parameter: None, ..
        } => (every_path_after(regex) == Some("/")).then_some(&**regex),
        _ => None,
    }
}

/// Reports each path of an Ingress that a route of the HTTPProxy replaces. Contour keeps one route for equal conditions, and adds those
/// of HTTPProxies after those of Ingresses.
fn replaced_paths(proxy: &HttpProxy<'_>, host: &Host<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::new();
    let routes = walk::http_proxy::routes(proxy).filter_map(|(at, route)| Some((at, only_path(route)?)));
    let own = ServedBy::Contour(proxy.class());
    for (at, path) in cx.part.within(routes.filter(|(_, path)| seen.insert((path.kind == PathType::Exact, path.text))))
    {
        let planes = cx.data_planes.of_contour(proxy.class()).map(PlaneKey::Class);
        let claims = planes.flat_map(|plane| cx.cluster.ingress_claims(plane, host, path, None));
        let replaced = claims.filter(|theirs| {
            let other = theirs.facts;
            let classes = ServedBy::Classes(other.classes().collect());
            is_same(path, theirs)
                && other.object_ref.namespace != cx.namespace()
                && SharedProxy::of(&own, &classes, cx.data_planes, cx.cluster) == SharedProxy::Contour
                && rival(host, &other.object_ref, other.created, cx) == Some(Rival::Holder)
        });
        let Some(other) = oldest(replaced.map(|theirs| theirs.facts)) else { continue };
        let (host_text, text) = (host.to_string(), path.text);
        let template =
            "path {} on {} is already served by {other}, which this HTTPProxy would replace: use another host";
        let finding = found.duplicate(at, &format!("{host_text} {text}"), template);
        finding.args([text, &*host_text]).other(&other.object_ref);
        finding.claim(&host_text, Some(NotatedPath::key(path.kind, text)));
        if is_unordered(host, other.created, cx) {
            finding.only_warns();
        }
    }
}

/// The path, if it is the only condition of a route and an Ingress can have the same condition: an exact path, or `/`. The other prefixes
/// of an HTTPProxy may end within a segment, and those of an Ingress may not.
fn only_path<'p>(route: &'p ProxyRoute<'_>) -> Option<NotatedPath<'p>> {
    let condition = match &route.conditions[..] {
        [] => return Some(NotatedPath::ROOT),
        [condition] if condition.header.is_none() && condition.query_parameter.is_none() => condition,
        _ => return None,
    };
    match condition {
        MatchCondition { exact: Some(exact), prefix: None, regex: None, .. } => {
            Some(NotatedPath { kind: PathType::Exact, text: exact, notation: PathNotation::default() })
        }
        MatchCondition { prefix: Some(prefix), exact: None, regex: None, .. } if **prefix == *"/" => {
            Some(NotatedPath::ROOT)
        }
        _ => None,
    }
}

/// Whether a path of an Ingress is the same condition as `own`.
fn is_same(own: NotatedPath<'_>, theirs: &IngressClaim<'_>) -> bool {
    let are_alike = (theirs.route.kind == PathType::Exact) == (own.kind == PathType::Exact);
    theirs.alias.is_none() && *theirs.route.path == *own.text && are_alike
}
