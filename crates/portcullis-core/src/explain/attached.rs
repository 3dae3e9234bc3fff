//! A route of the Gateway API, and the listeners that it is attached to.

use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::kinds::Route;

/// A route and where it is attached.
pub(super) struct Attached<'w> {
    pub(super) facts: &'w GatewayRouteFacts,
    pub(super) route: Route<'w, 'w>,
    /// The listeners that take it, each with the position of the reference by which they do.
    pub(super) sites: Vec<(usize, usize)>,
    /// The listeners that took a route of the other kind before it.
    pub(super) clashes: Vec<(usize, usize)>,
    pub(super) candidates: std::ops::Range<usize>,
}

impl Attached<'_> {
    /// The listeners that send it requests.
    pub(super) fn served(&self) -> impl Iterator<Item = (usize, usize)> {
        self.sites.iter().copied().filter(|(site, _)| !self.clashes.iter().any(|(lost, _)| lost == site))
    }
}
