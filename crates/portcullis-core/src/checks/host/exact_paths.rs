//! Part of `host/path-takes-requests`: Exact paths that take the requests for the path itself from a prefix of another
//! namespace. It can deny, so each path is a look-up.

use super::ingress_rivals::IngressRivals;
use super::other_ingress::may_be_taken_from;
use super::{Rival, rival};
use crate::checks::Context;
use crate::cluster::{IngressClaim, Relation};
use crate::finding::Findings;
use crate::matching::path_interpretation::{NotatedPath, PathEquality, path_equality};
use crate::matching::{Claims, PathType, Route};

/// Reports each of them.
pub(super) fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let rivals = IngressRivals::new(claims, cx);
    for position in cx.part.of(claims.distinct()) {
        let route = &claims.routes[*position];
        let Some(path) = route.path.as_ref().filter(|path| path.kind == PathType::Exact) else { continue };
        let path = path.notated(claims.notation(route));
        let prefix = NotatedPath { kind: PathType::Prefix, ..path };
        let theirs = rivals.at(&route.host, prefix).filter(|theirs| is_taken(claims, route, path, theirs, &rivals, cx));
        let Some(first) = theirs.min_by_key(|IngressClaim { facts, route, .. }| {
            (facts.created.is_none(), facts.created, &facts.object_ref, route.kind)
        }) else {
            continue;
        };
        let host = route.host.to_string();
        let template = "Exact path {} on {} takes requests from {other}: use a path of your own";
        let identity = format!("{host} {} {}", first.route.kind, first.route.path);
        let finding = found.duplicate(route.at.then("path"), &identity, template).args([route.written, &host]);
        finding.other(&first.facts.object_ref).claim(&host, Some(path.own_key()));
    }
}

/// Whether an Exact path takes requests from this one. Where both match the same requests they are in conflict, which another
/// check reports.
fn is_taken<'c>(
    claims: &Claims<'_>,
    route: &Route<'_>,
    own: NotatedPath<'_>,
    theirs: &IngressClaim<'c>,
    rivals: &IngressRivals<'_, 'c>,
    cx: &Context<'_>,
) -> bool {
    let IngressClaim { facts, route: path, alias, .. } = *theirs;
    if alias.is_some() || *path.path != *own.text || path.notation.has_special || path.notation.is_default_backend {
        return false;
    }
    let nearest = rivals.nearest(facts);
    nearest.relation == Relation::Same
        && may_be_taken_from(claims, facts, cx)
        && rival(&route.host, &facts.object_ref, facts.created, cx) == Some(Rival::Holder)
        && path_equality(own, path.notated(), rivals.controller(facts, nearest)) != PathEquality::Same
}
