//! `host/path-conflict`

use super::ingress_rivals::IngressRivals;
use super::path_relation::{PathConflict, PathRelation, path_relation};
use super::{added_host, canary_service, own_mark, rival, their_mark};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::{IngressClaim, IngressFacts, Relation};
use crate::finding::{Finding, Findings, Taking};
use crate::kinds::Kind;
use crate::matching::controller::Controller;
use crate::matching::path_interpretation::{NotatedPath, PathEquality, path_equality};
use crate::matching::{Claims, Host, Mark, PathType, Readers, Route};

pub static CHECK: Check = Check {
    id: "host/path-conflict",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("path_conflict.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::DENY)
};

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let rivals = IngressRivals::new(claims, cx);
    let is_canary = |other: &IngressFacts| their_mark(other, cx) == Mark::Canary;
    for position in cx.part.of(claims.distinct()) {
        let route = &claims.routes[*position];
        let Some(path) = &route.path else { continue };
        let path = path.notated(claims.notation(route));
        // The most serious conflict, then the oldest Ingress, since that one blocks this object, then by name. The
        // result does not depend on the order of the index.
        let conflicts =
            rivals.at(&route.host, path).filter_map(|theirs| conflict(claims, route, path, theirs, &rivals, cx));
        let least = conflicts.min_by_key(|(PathConflict { path_relation, other, .. }, theirs)| {
            let by_path = (theirs.route.kind != path.kind, theirs.route.kind, &*theirs.route.path);
            (*path_relation, is_canary(other), other.created.is_none(), other.created, &other.object_ref, by_path)
        });
        if let Some((conflict, theirs)) = least {
            let finding = report(route, path, &conflict, theirs, cx, found);
            // A canary serves nothing without another Ingress for the path, so the first one is only warned.
            if is_canary(conflict.other) && own_mark(claims, cx) != Mark::Canary {
                finding.only_warns();
            }
            decide(finding, claims, (&route.host, path, &conflict, theirs), &rivals);
        }
    }
    added_host::check(claims, &rivals, cx, found);
    canary_service::check(claims, &rivals, cx, found);
}

/// The conflict with a claim that a rule of another Ingress makes; `None` if there is none.
fn conflict<'c>(
    claims: &Claims<'_>,
    route: &Route<'_>,
    path: NotatedPath<'_>,
    theirs: IngressClaim<'c>,
    rivals: &IngressRivals<'_, 'c>,
    cx: &Context<'_>,
) -> Option<(PathConflict<'c>, IngressClaim<'c>)> {
    if theirs.alias.is_some() {
        return None;
    }
    let (other, nearest) = (theirs.facts, rivals.nearest(theirs.facts));
    let rival = || rival(&route.host, &other.object_ref, other.created, cx);
    let path_relation = path_relation(claims, other, nearest.relation, rival, cx)?;
    let path_relation = match theirs.route.kind == path.kind {
        true => path_relation,
        false => {
            let path_equality = path_equality(path, theirs.route.notated(), rivals.controller(other, nearest));
            across_types(path_equality, path_relation)?
        }
    };
    Some((PathConflict::new(claims, path_relation, other, nearest), theirs))
}

/// Says which of two Ingresses gets no requests for equal paths, where that is certain: ingress-nginx serves the older one.
fn decide(
    finding: &mut Finding,
    claims: &Claims<'_>,
    (host, path, conflict, theirs): (&Host<'_>, NotatedPath<'_>, &PathConflict<'_>, IngressClaim<'_>),
    rivals: &IngressRivals<'_, '_>,
) {
    let (other, nearest) = (conflict.other, conflict.nearest);
    let (controller, created) = (rivals.controller(other, nearest), claims.ingress.metadata.created());
    let is_certain = nearest.relation == Relation::Same
        && !nearest.is_assumed
        && controller == Readers::Only(Controller::IngressNginx)
        && path_equality(path, theirs.route.notated(), controller) == PathEquality::Same
        && created != other.created;
    if !is_certain {
        return;
    }
    // An Ingress without a creation time is being created.
    match created.is_some_and(|created| other.created.is_none_or(|theirs| created < theirs)) {
        true => {
            let (template, host) = ("path {} on {} is already served by {other}", host.described());
            finding.takes(|| [Taking::of(&other.object_ref, other.created, template, [path.text, &*host])])
        }
        false => finding.loses(),
    };
}

fn report<'f>(
    route: &Route<'_>,
    path: NotatedPath<'_>,
    conflict: &PathConflict<'_>,
    theirs: IngressClaim<'_>,
    cx: &Context<'_>,
    found: &'f mut Findings<'_>,
) -> &'f mut Finding {
    let theirs = theirs.route;
    // Identified by the other path, so that the conflict stays the same if this path gets another type.
    let identity = format!("{} {} {}", route.host, theirs.kind, theirs.path);
    // The name `ImplementationSpecific` is too long for a warning.
    let is_type_shown = theirs.kind != path.kind && theirs.kind != PathType::ImplementationSpecific;
    let class = conflict.class(if is_type_shown { format!(", pathType {}", theirs.kind) } else { String::new() });
    let finding = found.duplicate(route.at.then("path"), &identity, conflict.template(&route.host, cx));
    let args = [path.text.to_owned(), route.host.described().into_owned()].into_iter().chain(class);
    finding.args(args).other(&conflict.other.object_ref);
    finding.claim(&route.host.to_string(), Some(NotatedPath::key(path.kind, path.text)));
    if conflict.path_relation != PathRelation::OtherNamespace {
        finding.only_warns();
    }
    finding
}

/// The relation to an Ingress whose path has another type, by how alike their controller treats the two paths;
/// `path_relation` if it treats them as equal.
fn across_types(path_equality: PathEquality, path_relation: PathRelation) -> Option<PathRelation> {
    match (path_equality, path_relation) {
        (PathEquality::Same, path_relation) | (PathEquality::Maybe, path_relation @ PathRelation::Squatter) => {
            Some(path_relation)
        }
        (PathEquality::Maybe, PathRelation::Neighbor) | (PathEquality::Different, _) => None,
        (PathEquality::Maybe, _) => Some(PathRelation::PossiblyEqual),
    }
}
