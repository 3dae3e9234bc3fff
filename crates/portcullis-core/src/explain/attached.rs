//! A route of the Gateway API with the listeners that it is attached to.

use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::kinds::Route;

/// A route, its candidates and its listeners.
pub(super) struct Attached<'w> {
    pub(super) facts: &'w GatewayRouteFacts,
    pub(super) route: Route<'w, 'w>,
    /// The listeners that accept it, each with the index of the first parentRef that refers to it.
    pub(super) sites: Vec<(usize, usize)>,
    /// The listeners that reject it because of a route of the other kind, each with the index of that route.
    pub(super) clashes: Vec<(usize, usize)>,
    pub(super) candidates: std::ops::Range<usize>,
}

impl Attached<'_> {
    /// The listeners that send requests to it.
    pub(super) fn served(&self) -> impl Iterator<Item = (usize, usize)> {
        self.sites.iter().copied().filter(|(site, _)| !self.clashes.iter().any(|(lost, _)| lost == site))
    }
}
