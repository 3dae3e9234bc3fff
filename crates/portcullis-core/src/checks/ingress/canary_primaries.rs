//! The Ingresses to which ingress-nginx attaches a canary.

use crate::checks::Context;
use crate::checks::host::IngressRivals;
use crate::cluster::{IngressFacts, Relation};
use crate::matching::path_interpretation::NotatedPath;
use crate::matching::{Claims, Mark, PathType, Route};

/// Finds the Ingresses to which ingress-nginx attaches a canary.
pub(super) struct Primaries<'r, 'c> {
    claims: &'r Claims<'r>,
    rivals: IngressRivals<'r, 'c>,
}

impl<'r, 'c> Primaries<'r, 'c> {
    /// For the canary with these claims.
    pub fn new(claims: &'r Claims<'r>, cx: &'r Context<'c>) -> Self {
        Self { claims, rivals: IngressRivals::new(claims, cx) }
    }

    /// All other Ingresses.
    pub fn rivals(&self) -> &IngressRivals<'r, 'c> {
        &self.rivals
    }

    /// Whether another Ingress of the namespace, except canaries, sends requests to this Service, a name with a port.
    pub fn has_service(&self, service: &str) -> bool {
        self.rivals.with_service(service).next().is_some()
    }

    /// Whether an Ingress that is not a canary has the host and the path of a route, with any type, in a data plane that may be that of the
    /// canary.
    pub fn may_exist(&self, route: &Route<'_>) -> bool {
        let Some(path) = &route.path else { return true };
        let kind = PathType::ImplementationSpecific;
        let of_any_type = NotatedPath { kind, ..path.notated(self.claims.notation(route)) };
        self.rivals.at(&route.host, of_any_type).any(|theirs| theirs.facts.mark != Mark::Canary)
    }

    /// The oldest Ingress with the host, path and type of a route of the canary. ingress-nginx compares the texts, and knows two types.
    pub fn of(&self, route: &Route<'_>) -> Option<&'c IngressFacts> {
        let path = route.path.as_ref()?;
        let is_exact = |kind| kind == PathType::Exact;
        let kind = if is_exact(path.kind) { PathType::Exact } else { PathType::ImplementationSpecific };
        let notated = NotatedPath { kind, ..path.notated(self.claims.notation(route)) };
        let all = self.rivals.at(&route.host, notated).filter(|theirs| theirs.facts.mark == Mark::None);
        let same = all.filter(|theirs| {
            let notated = theirs.route.notated();
            is_exact(notated.kind) == is_exact(path.kind)
                && notated.notation.ends_in_slash == route.written.ends_with('/')
                && self.rivals.nearest(theirs.facts).relation == Relation::Same
        });
        same.map(|theirs| theirs.facts).min_by_key(|facts| (facts.created.is_none(), facts.created, &facts.object_ref))
    }
}
