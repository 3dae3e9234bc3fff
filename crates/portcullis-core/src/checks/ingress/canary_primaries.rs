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
