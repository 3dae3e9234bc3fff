//! Part of [`own_rules`](super::own_rules): the paths of one host of an Ingress, each with the number by which its rule is ordered.

use hashbrown::HashSet;

use crate::cluster::RouteFacts;
use crate::matching::glob::Glob;
use crate::matching::path_interpretation::NotatedPath;
use crate::matching::path_overlaps::PathOverlaps;
use crate::matching::rule_order::RuleOrder;
use crate::matching::{Path, PathType};

/// A path of the Ingress under review.
pub(super) struct OwnPath<'r> {
    pub kind: PathType,
    pub text: &'r str,
    /// The least priority that its rule may have, or its rank by its fields; 0 if the rules have no known priority or are not ordered by
    /// it.
    pub least: i64,
    /// The key of the path as written, if the rule has it.
    pub key: Option<(PathType, &'r str)>,
}

/// The paths of one host.
pub(super) struct OwnPaths<'r> {
    overlaps: PathOverlaps,
    /// The patterns of a load balancer.
    globs: Vec<(Glob, i64)>,
    /// The keys of the paths with their types, by which equal ones are found.
    keys: HashSet<(PathType, &'r str)>,
    has_patterns: bool,
}

/// How many rules a load balancer of AWS has.
const MOST_GLOBS: usize = 100;

impl<'r> OwnPaths<'r> {
    /// The paths of a host in a data plane with this `order`.
    pub fn new(all: &[OwnPath<'r>], order: RuleOrder) -> Self {
        let comparable = |own: &OwnPath<'r>| Some((order.comparable(own.kind, own.text)?, own.least));
        let is_glob = |own: &&OwnPath<'r>| order.has_patterns() && comparable(own).is_none();
        let compared: Vec<_> = all.iter().filter_map(comparable).collect();
        let globs = all.iter().filter(is_glob).filter_map(|own| Some((Glob::new(own.text)?, own.least)));
        let globs: Vec<_> = globs.take(MOST_GLOBS).collect();
        Self {
            has_patterns: compared.len() + globs.len() < all.len(),
            globs,
            overlaps: PathOverlaps::new(compared.iter().map(|(path, least)| (path, *least))),
            keys: all.iter().filter_map(|own| own.key).collect(),
        }
    }

    /// Whether some of them are not compared.
    pub fn has_patterns(&self) -> bool {
        self.has_patterns
    }

    /// The greatest number of a path that overlaps this one.
    pub fn greatest(&self, path: &Path<'_>) -> Option<i64> {
        let globs = self.globs.iter().filter(|(glob, _)| glob.overlaps(path)).map(|(_, number)| *number);
        self.overlaps.greatest(path).max(globs.max())
    }

    /// The greatest number of a path that matches every request of this one.
    pub fn greatest_covering(&self, path: &Path<'_>) -> Option<i64> {
        let globs = self.globs.iter().filter(|(glob, _)| glob.covers(path)).map(|(_, number)| *number);
        self.overlaps.greatest_covering(path).max(globs.max())
    }

    /// Whether a path has the text of that of `route` and may have its type, so that both are in conflict.
    pub fn has_equal(&self, route: &RouteFacts) -> bool {
        let key = NotatedPath::key(route.kind, &route.path);
        let kinds: &[PathType] = match route.kind {
            PathType::ImplementationSpecific => &[PathType::ImplementationSpecific, PathType::Prefix, PathType::Exact],
            PathType::Prefix => &[PathType::ImplementationSpecific, PathType::Prefix],
            PathType::Exact => &[PathType::ImplementationSpecific, PathType::Exact],
        };
        kinds.iter().any(|kind| self.keys.contains(&(*kind, key)))
    }
}
