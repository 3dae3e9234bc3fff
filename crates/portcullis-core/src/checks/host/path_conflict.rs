//! `host/path-conflict`

use hashbrown::HashMap;

use super::path_relation::{PathConflict, PathRelation, path_relation};
use super::{added_host, rival};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::{IngressFacts, Nearest, RouteFacts, Served};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::path_interpretation::{Likeness, NotatedPath, likeness};
use crate::matching::{Claims, PathType};

pub static CHECK: Check = Check {
    id: "host/path-conflict",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("path_conflict.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::DENY)
};

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // Cached for each Ingress, since two Ingresses may have thousands of paths in common.
    let mut known: HashMap<*const IngressFacts, Nearest<'_>> = HashMap::new();
    for route in claims.routes.iter().take_while(|_| cx.cluster.steps().are_left()) {
        let Some(path) = &route.path else { continue };
        let path = path.notated(claims.notation(route));
        let others = cx.cluster.ingresses_with_route(&route.host, path);
        let conflicts = others.filter_map(|(other, theirs)| {
            let nearest = *known.entry(other).or_insert_with(|| cx.data_planes.nearest(claims, other, cx.cluster));
            let rival = || rival(&route.host, &other.object_ref, other.created, cx);
            let path_relation = path_relation(claims, other, nearest.relation, rival, cx)?;
            let path_relation = match theirs.kind == path.kind {
                true => path_relation,
                false => across_types(claims, path, (other, theirs), (path_relation, nearest), cx)?,
            };
            Some((PathConflict::new(claims, path_relation, other, nearest), theirs))
        });
        // The most serious conflict, then the oldest Ingress, since that one blocks this object, then by name. The
        // result does not depend on the order of the index.
        let least = conflicts.min_by_key(|(PathConflict { path_relation, other, .. }, theirs)| {
            let by_path = (theirs.kind != path.kind, theirs.kind, &*theirs.path);
            (*path_relation, other.created.is_none(), other.created, &other.object_ref, by_path)
        });
        let Some((conflict, theirs)) = least else { continue };
        // Identified by the other path, so that the conflict stays the same if this path gets another type.
        let identity = format!("{} {} {}", route.host, theirs.kind, theirs.path);
        // The name `ImplementationSpecific` is too long for a warning.
        let is_type_shown = theirs.kind != path.kind && theirs.kind != PathType::ImplementationSpecific;
        let class = conflict.class(if is_type_shown { format!(", pathType {}", theirs.kind) } else { String::new() });
        let finding = found.duplicate(route.at.then("path"), &identity, conflict.template(&route.host, cx));
        let args = [path.text.to_owned(), route.host.to_string()].into_iter().chain(class);
        finding.args(args).other(&conflict.other.object_ref);
        if conflict.path_relation != PathRelation::OtherNamespace {
            finding.only_warns();
        }
    }
    added_host::check(claims, cx, found);
}

/// The conflict with `other` by its route `theirs`, which has another path type: `path_relation` if their controller treats both
/// paths as equal.
fn across_types(
    claims: &Claims<'_>,
    path: NotatedPath<'_>,
    (other, theirs): (&IngressFacts, &RouteFacts),
    (path_relation, nearest): (PathRelation, Nearest<'_>),
    cx: &Context<'_>,
) -> Option<PathRelation> {
    let served = Served { class: nearest.class, hints: other.hints.as_deref() };
    let controller = cx.data_planes.controller(claims, served, cx.cluster);
    match (likeness(path, theirs.notated(), controller), path_relation) {
        (Likeness::Same, path_relation) | (Likeness::Maybe, path_relation @ PathRelation::Squatter) => {
            Some(path_relation)
        }
        (Likeness::Maybe, PathRelation::Neighbor) | (Likeness::Different, _) => None,
        (Likeness::Maybe, _) => Some(PathRelation::PossiblyEqual),
    }
}
