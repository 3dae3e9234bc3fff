//! Routes of a vertex outside what was delegated to it.

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::checks::{Context, delegation};
use crate::cluster::delegation_facts::{DelegationFacts, EdgeFacts};
use crate::finding::Findings;
use crate::kinds::ingress_route::PathRoute;
use crate::kinds::{IngressRoute, walk};
use crate::routing::delegation::{Prefixes, covers};

/// Which routes of a vertex are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routes {
    /// Those that it serves itself.
    Served,
    /// Those that it delegates on.
    Delegated,
}

impl Routes {
    /// Whether `path` is one of them. One that does both is another check's affair.
    fn hold(self, path: &PathRoute<'_>) -> bool {
        match self {
            Self::Served => path.delegate.is_none() && !path.services().1.is_empty(),
            Self::Delegated => path.delegate.is_some(),
        }
    }

    /// Their prefixes in another object.
    fn of(self, facts: &DelegationFacts) -> Prefixes<'_, ()> {
        match self {
            Self::Served => Prefixes::of(facts.serves.iter().map(|prefix| (&**prefix, ()))),
            Self::Delegated => Prefixes::of(facts.edges.iter().map(|edge| (&*edge.prefix, ()))),
        }
    }
}

/// Whether `path` leads anywhere: one that does not breaches nothing.
fn leads(path: &PathRoute<'_>) -> bool {
    path.delegate.is_some() || !path.services().1.is_empty()
}

/// Reports the routes of a vertex outside the delegation that comes nearest to accepting it; none where one accepts all of them, since one
/// suffices, so that nobody can break a vertex by delegating something else to it. A delegation that [binds](delegation::binds) comes
/// before those that do not, which refuse no route that is served.
pub fn of_this(which: Routes, route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if route.spec.virtualhost.is_some() {
        return;
    }
    let delegations = delegation::neighbours(route, cx).delegations();
    let routes = Prefixes::of(route.spec.routes.iter().filter(|path| leads(path)).map(|path| (path.prefix(), ())));
    let edges = || delegations.iter().filter_map(|delegation| Some((delegation.by, delegation.edge?)));
    let accepted = |edge: &EdgeFacts| routes.under(&edge.prefix).len();
    if edges().any(|(_, edge)| routes.beyond(&edge.prefix).is_none()) {
        return;
    }
    let edges = edges().map(|(by, edge)| (by, edge, delegation::binds(&by.object_ref, route, cx)));
    let Some((by, edge, binds)) = edges.min_by_key(|(_, edge, binds)| Reverse((*binds, accepted(edge)))) else {
        return;
    };
    for (at, path) in walk::ingress_route::routes(route).filter(|(_, path)| which.hold(path)) {
        if !covers(&edge.prefix, path.prefix()) {
            let message = "`{}` is outside `{}`, the prefix delegated by {other}";
            let finding = found.forbidden(at.then("match"), path.prefix(), message);
            finding.args([path.prefix(), &edge.prefix]).other(&by.object_ref);
            // A vertex that serves too much serves nothing; one that delegates too much takes the rest of the host.
            if !binds && which == Routes::Served {
                finding.only_warns();
            }
        }
    }
}

/// Warns of delegations to objects that have such a route: nothing comes of them.
pub fn of_targets(which: Routes, route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let near = delegation::neighbours(route, cx);
    // A prefix without its slash covers nothing, which another check tells.
    let delegated = walk::ingress_route::delegated(route).filter(|(_, _, path)| path.prefix().starts_with('/'));
    let mut targets = HashMap::new();
    for (at, delegate, path) in delegated {
        let target = delegation::target_of(delegate, cx);
        let Some(facts) = near.vertex(&target) else { continue };
        let routes = targets.entry(&facts.object_ref).or_insert_with(|| which.of(facts));
        if let Some(beyond) = routes.beyond(path.prefix()) {
            let message = "{other} has route `{}` outside `{}`, so this is ignored";
            let finding = found.forbidden(at, path.prefix(), message);
            finding.args([beyond, path.prefix()]).other(&target).only_warns();
        }
    }
}
