//! `host/path-conflict`

use hashbrown::HashMap;

use super::twin::{Conflict, Twin, twin};
use super::{added_host, rival};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::{IngressFacts, Nearest, RouteFacts, Served};
use crate::finding::Findings;
use crate::kinds::Kind;
use crate::matching::path_reading::{Likeness, Spelled, likeness};
use crate::matching::{Claims, PathType};

pub static CHECK: Check = Check {
    id: "host/path-conflict",
    needs: &[Kind::Ingress, Kind::IngressClass],
    page: include_str!("path_conflict.md"),
    run: Run::Claims(check),
    ..Check::conflict(Actions::DENY)
};

fn check(claims: &Claims<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // Two Ingresses may have thousands of paths in common.
    let mut known: HashMap<*const IngressFacts, Nearest<'_>> = HashMap::new();
    for route in claims.routes.iter().take_while(|_| cx.cluster.steps().are_left()) {
        let Some(path) = &route.path else { continue };
        let path = path.spelled(claims.spelling(route));
        let others = cx.cluster.ingresses_with_route(&route.host, path);
        let twins = others.filter_map(|(other, theirs)| {
            let nearest = *known.entry(other).or_insert_with(|| cx.data_planes.nearest(claims, other, cx.cluster));
            let rival = || rival(&route.host, &other.object_ref, other.created, cx);
            let twin = twin(claims, other, nearest.relation, rival, cx)?;
            let twin = match theirs.kind == path.kind {
                true => twin,
                false => across_types(claims, path, (other, theirs), (twin, nearest), cx)?,
            };
            Some((Conflict::new(claims, twin, other, nearest), theirs))
        });
        // Of the gravest the oldest, which is the one in the way, then by name: the same answer in any order of the index.
        let least = twins.min_by_key(|(Conflict { twin, other, .. }, theirs)| {
            let by_path = (theirs.kind != path.kind, theirs.kind, &*theirs.path);
            (*twin, other.created.is_none(), other.created, &other.object_ref, by_path)
        });
        let Some((conflict, theirs)) = least else { continue };
        // By the other's path, so that the conflict is the same one when this path gets another type.
        let identity = format!("{} {} {}", route.host, theirs.kind, theirs.path);
        // The long name of the third type would not fit a warning.
        let is_told = theirs.kind != path.kind && theirs.kind != PathType::ImplementationSpecific;
        let class = conflict.class(if is_told { format!(", pathType {}", theirs.kind) } else { String::new() });
        let finding = found.duplicate(route.at.then("path"), &identity, conflict.template(&route.host, cx));
        let args = [path.text.to_owned(), route.host.to_string()].into_iter().chain(class);
        finding.args(args).other(&conflict.other.object_ref);
        if conflict.twin != Twin::Stranger {
            finding.only_warns();
        }
    }
    added_host::check(claims, cx, found);
}

/// What `other` is, by its route `theirs`, to an Ingress with a path of another type: a `twin`, if their controller reads both paths alike.
fn across_types(
    claims: &Claims<'_>,
    path: Spelled<'_>,
    (other, theirs): (&IngressFacts, &RouteFacts),
    (twin, nearest): (Twin, Nearest<'_>),
    cx: &Context<'_>,
) -> Option<Twin> {
    let served = Served { class: nearest.class, balancer: other.balancer.as_deref() };
    let controller = cx.data_planes.controller(claims, served, cx.cluster);
    match (likeness(path, theirs.spelled(), controller), twin) {
        (Likeness::Same, twin) | (Likeness::Maybe, twin @ Twin::Squatter) => Some(twin),
        (Likeness::Maybe, Twin::Neighbor) | (Likeness::Different, _) => None,
        (Likeness::Maybe, _) => Some(Twin::Alike),
    }
}
