//! `ingress-route/match-shadowed`

use hashbrown::HashMap;

use crate::checks::{Actions, Check, Context, Run, delegation};
use crate::finding::Findings;
use crate::kinds::ingress_route::PathRoute;
use crate::kinds::{IngressRoute, Kind, ObjectRef, walk};
use crate::routing::delegation::{Delegation, Prefixes};

pub static CHECK: Check = Check {
    id: "ingress-route/match-shadowed",
    needs: &[Kind::IngressRoute],
    page: include_str!("match_shadowed.md"),
    run: Run::IngressRoute(check),
    ..Check::conflict(Actions::WARN)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    taken_below(route, cx, found);
    taken_above(route, cx, found);
}

/// Reports a delegation whose target has a route that another route of this object also covers, if that other route is
/// within the delegated prefix.
fn taken_below(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if walk::ingress_route::delegated(route).next().is_none() {
        return;
    }
    let graph = delegation::graph_context(route, cx);
    // Of several routes with the same prefix only the first counts; another check reports the others.
    let own = Prefixes::of(route.spec.routes.iter().map(|path| (path.prefix(), path)));
    let mut children = HashMap::new();
    for (at, delegate, path) in walk::ingress_route::delegated(route) {
        let is_first = own.nearest(path.prefix()).is_some_and(|(_, first)| std::ptr::eq(*first, path));
        let target = delegation::target_of(delegate, cx);
        let Some(child) = graph.vertex(&target).filter(|_| is_first) else { continue };
        let child = children
            .entry(&child.object_ref)
            .or_insert_with(|| Prefixes::of(child.prefixes().map(|taken| (taken, ()))));
        let others = own.under(path.prefix()).iter().filter(|(_, other)| !leads_to(other, &target, cx));
        if let Some((prefix, taken)) =
            others.filter_map(|(other, _)| Some((*other, child.under(other).first()?.0))).next()
        {
            let message = "{other} has route `{}`, which `{}` also covers: remove one";
            found.duplicate(at, taken, message).args([taken, prefix]).other(&target);
        }
    }
}

/// Reports routes that another route of the delegating object also covers, if that other route is within the delegated
/// prefix.
fn taken_above(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let delegations = delegation::graph_context(route, cx).delegations();
    for of_parent in delegations.chunk_by(|left, right| left.by.object_ref == right.by.object_ref) {
        let Some(Delegation { by: parent, .. }) = of_parent.first() else { continue };
        let delegated = of_parent.iter().filter_map(|delegation| Some((&*delegation.edge?.prefix, ())));
        let others = parent.edges.iter().filter(|other| *other.target != *cx.this).map(|other| &*other.prefix);
        let others = others.chain(parent.serves.iter().map(|prefix| &**prefix)).map(|prefix| (prefix, ()));
        let (delegated, others) = (Prefixes::of(delegated), Prefixes::of(others));
        for (at, path) in walk::ingress_route::routes(route) {
            let Some((prefix, ())) = others.nearest(path.prefix()) else { continue };
            if delegated.nearest(prefix).is_some() {
                let message = "`{}` is also covered by `{}` of {other}: remove one";
                let finding = found.duplicate(at.then("match"), path.prefix(), message);
                finding.args([path.prefix(), prefix]).other(&parent.object_ref);
            }
        }
    }
}

/// Whether `path` delegates to `target`.
fn leads_to(path: &PathRoute<'_>, target: &ObjectRef, cx: &Context<'_>) -> bool {
    path.delegate.as_ref().is_some_and(|delegate| delegation::target_of(delegate, cx) == *target)
}
