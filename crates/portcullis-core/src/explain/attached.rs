//! A route of the Gateway API with the listeners that it is attached to.

use std::cell::OnceCell;
use std::ops::Range;

use super::route_resolver::Stored;
use crate::checks::route_faults::RouteFaults;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::config::Config;
use crate::kinds::Route;
use crate::matching::GatewayDialect;

/// A route, its candidates and its listeners.
pub(super) struct AttachedRoute<'w> {
    pub(super) stored: &'w Stored<'w>,
    pub(super) facts: &'w GatewayRouteFacts,
    pub(super) route: Route<'w, 'w>,
    /// The listeners that accept it, each with the index of a parentRef that refers to it; `None` for listeners of a default
    /// Gateway.
    pub(super) sites: Vec<(usize, Option<usize>)>,
    /// The listeners that reject it because of a route of the other kind, each with the index of that route.
    pub(super) clashes: Vec<(usize, usize)>,
    /// Its candidates in the dialect of each of its listeners; in the assumed one if no listener accepts it.
    pub(super) candidates: Vec<(GatewayDialect, Range<usize>)>,
    pub(super) faults: OnceCell<RouteFaults>,
}

impl AttachedRoute<'_> {
    /// Why the rule at `position` is not served for requests that reach listener `site`, although the listener accepts the
    /// route.
    pub(super) fn fault(&self, site: usize, position: usize, cluster: &Overlay<'_>, config: &Config) -> Option<String> {
        let faults = self.faults.get_or_init(|| RouteFaults::of(&self.stored.object, &self.route, cluster, config));
        let references = self.sites.iter().filter(|(own, _)| *own == site).map(|(_, reference)| *reference);
        let equals = |reference: Option<usize>| -> Vec<usize> {
            let own = reference.and_then(|reference| self.route.parent_refs().get(reference));
            let all = self.route.parent_refs().iter().enumerate();
            all.filter(|(_, other)| own == Some(other)).map(|(index, _)| index).collect()
        };
        let rejections: Option<Vec<_>> = references.map(|reference| faults.rejection(&equals(reference))).collect();
        let rejection = rejections.into_iter().flatten().next();
        rejection
            .map(|(_, message)| format!("the route is not accepted: {message}"))
            .or_else(|| faults.dropped(position).map(|message| format!("the rule is dropped: {message}")))
    }

    /// Its candidates at a listener with this dialect.
    pub(super) fn candidates_in(&self, dialect: GatewayDialect) -> Range<usize> {
        self.candidates.iter().find(|(own, _)| *own == dialect).map_or(0..0, |(_, range)| range.clone())
    }

    /// The listeners that send requests to it.
    pub(super) fn served(&self) -> impl Iterator<Item = usize> {
        self.sites.iter().map(|(site, _)| *site).filter(|site| !self.clashes.iter().any(|(lost, _)| lost == site))
    }
}
