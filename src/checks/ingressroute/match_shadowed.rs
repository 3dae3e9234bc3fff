//! `ingressroute/match-shadowed`

use crate::checks::{Actions, Check, Context, Release, Run, delegation};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::ingress_route::PathRoute;
use crate::kinds::{IngressRoute, Kind, ObjectRef, walk};
use crate::routing::delegation::{Delegation, covers};

pub static CHECK: Check = Check {
    id: "ingressroute/match-shadowed",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[Kind::IngressRoute],
    options: &[],
    page: include_str!("match_shadowed.md"),
    run: Run::IngressRoute(check),
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let near = delegation::neighbours(route, cx);
    for (at, delegate, path) in walk::ingress_route::delegated(route) {
        let target = delegation::target_of(delegate, cx);
        let Some(child) = near.vertex(&target) else { continue };
        let own = route.spec.routes.iter().filter(|other| !leads_to(other, &target, cx)).map(PathRoute::prefix);
        if let Some((prefix, taken)) = overlap(path.prefix(), own, child.prefixes()) {
            let sentence = "{other} has `{}`, also under `{}` here: only one can answer";
            found.duplicate(at, taken, sentence).shown([taken, prefix]).other(&target);
        }
    }
    for Delegation { by: parent, edge } in near.delegations() {
        let Some(edge) = edge else { continue };
        let others = parent.edges.iter().filter(|other| *other.target != *cx.this).map(|other| &*other.prefix);
        let others = others.chain(parent.serves.iter().map(|prefix| &**prefix));
        let others: Vec<&str> = others.collect();
        for (at, path) in walk::ingress_route::routes(route) {
            if let Some((prefix, taken)) = overlap(&edge.prefix, others.iter().copied(), [path.prefix()]) {
                let sentence = "`{}` is also under `{}` of {other}: only one can answer";
                found.duplicate(at.then("match"), taken, sentence).shown([taken, prefix]).other(&parent.place);
            }
        }
    }
}

/// Whether `path` delegates to `target`.
fn leads_to(path: &PathRoute<'_>, target: &ObjectRef, cx: &Context<'_>) -> bool {
    path.delegate.as_ref().is_some_and(|delegate| delegation::target_of(delegate, cx) == *target)
}

/// The first prefix of a child that is also under another route of its parent, which is within what the child was delegated.
fn overlap<'p>(
    delegated: &str,
    others: impl Iterator<Item = &'p str> + Clone,
    taken: impl IntoIterator<Item = &'p str>,
) -> Option<(&'p str, &'p str)> {
    let mut pairs = taken.into_iter().flat_map(|taken| others.clone().map(move |other| (other, taken)));
    pairs.find(|(other, taken)| covers(delegated, other) && covers(other, taken))
}
