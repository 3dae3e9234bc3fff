//! Finds routes of a delegated object that are outside the delegated prefix.

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::checks::{Context, delegation};
use crate::cluster::delegation_facts::{DelegationFacts, EdgeFacts};
use crate::finding::Findings;
use crate::kinds::ingress_route::PathRoute;
use crate::kinds::{IngressRoute, Kind, walk};
use crate::routing::delegation::{Prefixes, covers};

/// Which routes of an object to check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Routes {
    /// The routes that it serves itself.
    Served,
    /// The routes that it delegates further.
    Delegated,
}

impl Routes {
    /// Whether `path` is one of these routes. A route with a delegate and services counts as delegated; another check
    /// reports that combination.
    fn includes(self, path: &PathRoute<'_>) -> bool {
        match self {
            Self::Served => path.delegate.is_none() && !path.services().1.is_empty(),
            Self::Delegated => path.delegate.is_some(),
        }
    }

    /// The prefixes of these routes in another object.
    fn of(self, facts: &DelegationFacts) -> Prefixes<'_, ()> {
        match self {
            Self::Served => Prefixes::of(facts.serves.iter().map(|prefix| (&**prefix, ()))),
            Self::Delegated => Prefixes::of(facts.edges.iter().map(|edge| (&*edge.prefix, ()))),
        }
    }
}

/// Whether `path` has a delegate or services. A route without either is not checked.
fn has_target(path: &PathRoute<'_>) -> bool {
    path.delegate.is_some() || !path.services().1.is_empty()
}

/// Reports routes of this object that are outside the delegated prefix. If several objects delegate to this one, it is
/// enough that a single delegation accepts all its routes, so that a delegation from another object cannot invalidate
/// it. Otherwise the delegation that accepts the most routes is reported. Delegations that [bind](delegation::binds)
/// are preferred; others cannot deny a route that this object serves. Nothing is reported if a delegation may be unknown,
/// since it may accept all routes.
pub fn of_this(which: Routes, route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if route.spec.virtualhost.is_some() || cx.cluster.has_unknown_referrers(Kind::IngressRoute) {
        return;
    }
    let delegations = delegation::graph_context(route, cx).delegations();
    let routes = Prefixes::of(route.spec.routes.iter().filter(|path| has_target(path)).map(|path| (path.prefix(), ())));
    let edges = || delegations.iter().filter_map(|delegation| Some((delegation.by, delegation.edge?)));
    let accepted = |edge: &EdgeFacts| routes.under(&edge.prefix).len();
    if edges().any(|(_, edge)| routes.beyond(&edge.prefix).is_none()) {
        return;
    }
    let edges = edges().map(|(by, edge)| (by, edge, delegation::binds(&by.object_ref, route, cx)));
    let Some((by, edge, binds)) = edges.min_by_key(|(_, edge, binds)| Reverse((*binds, accepted(edge)))) else {
        return;
    };
    for (at, path) in walk::ingress_route::routes(route).filter(|(_, path)| which.includes(path)) {
        if !covers(&edge.prefix, path.prefix()) {
            let message = "`{}` is outside `{}`, the prefix delegated by {other}";
            let finding = found.forbidden(at.then("match"), path.prefix(), message);
            finding.args([path.prefix(), &edge.prefix]).other(&by.object_ref);
            // Serving a route outside the prefix only makes this object ineffective. Delegating one could take over
            // other parts of the host.
            if !binds && which == Routes::Served {
                finding.only_warns();
            }
        }
    }
}

/// Warns about delegations to objects that have a route outside the delegated prefix, which makes the delegation
/// ineffective.
pub fn of_targets(which: Routes, route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let graph = delegation::graph_context(route, cx);
    // A prefix without a leading slash covers nothing, which another check reports.
    let delegated = walk::ingress_route::delegated(route).filter(|(_, _, path)| path.prefix().starts_with('/'));
    let mut targets = HashMap::new();
    for (at, delegate, path) in delegated {
        let target = delegation::target_of(delegate, cx);
        let Some(facts) = graph.vertex(&target) else { continue };
        let routes = targets.entry(&facts.object_ref).or_insert_with(|| which.of(facts));
        if let Some(beyond) = routes.beyond(path.prefix()) {
            let message = "route `{}` of {other} is outside `{}`, so this delegation is ignored: delegate a prefix that covers it";
            let finding = found.forbidden(at, path.prefix(), message);
            finding.args([beyond, path.prefix()]).other(&target).only_warns();
        }
    }
}
