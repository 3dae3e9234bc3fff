//! Finds the other routes that have the same hosts as a route on a listener that accepts both.

use std::cell::RefCell;

use hashbrown::HashMap;

use super::attachment::accepts;
use super::presence::Presence;
use super::used_references::used_references;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts};
use crate::cluster::route_claim::{RouteClaim, RouteReference};
use crate::kinds::Kind;
use crate::matching::{Depth, Host};

/// Another route that a listener accepts, too.
#[derive(Debug, Clone, Copy)]
pub(super) struct RivalRoute<'h> {
    /// The route.
    pub facts: &'h GatewayRouteFacts,
    /// The first listener that accepts both for the host.
    pub listener: &'h ListenerFacts,
}

/// The names and references by which other routes of one kind may have the hosts of a presence.
pub(super) struct Rivals<'p, 'h> {
    presence: &'p Presence<'h>,
    kind: Kind,
    cluster: &'p Overlay<'h>,
    /// For each host of the presence the names that other routes use, each with the references that they use with it.
    /// A route with many matches is found without a reference.
    uses: Vec<Vec<(Option<RouteReference<'h>>, Host<'p>)>>,
    /// The first listener that accepts a route, too, by host and route.
    common_listeners: RefCell<HashMap<(usize, *const GatewayRouteFacts), Option<&'h ListenerFacts>>>,
}

impl<'p, 'h> Rivals<'p, 'h> {
    /// Returns the rivals of a route of `kind` with this presence.
    pub fn of(presence: &'p Presence<'h>, kind: Kind, cluster: &'p Overlay<'h>) -> Self {
        let mut uses = vec![Vec::new(); presence.hosts().len()];
        for (parent, listeners) in presence.by_parent() {
            let all: Vec<&ListenerFacts> = listeners.iter().map(|(listener, _)| *listener).collect();
            for used in used_references(parent, &all, kind, cluster) {
                // Whether the reference reaches a listener with this host, and one of which it is the complete host.
                let mut reached: HashMap<usize, bool> = HashMap::new();
                for (listener, hosts) in used.listeners.iter().map(|index| &listeners[*index]) {
                    for host in hosts {
                        *reached.entry(*host).or_default() |= presence.hosts()[*host] == listener.host;
                    }
                }
                for (host, is_whole) in reached {
                    let names = names(&presence.hosts()[host], is_whole).map(|name| (Some(used.reference), name));
                    uses[host].extend(names.filter(|(of, name)| is_claimed(kind, *of, name, cluster)));
                }
            }
        }
        for (host, uses) in uses.iter_mut().enumerate().filter(|(_, uses)| !uses.is_empty()) {
            let names = names(&presence.hosts()[host], true).map(|name| (None, name));
            uses.extend(names.filter(|(of, name)| is_claimed(kind, *of, name, cluster)));
        }
        Self { presence, kind, cluster, uses, common_listeners: RefCell::default() }
    }

    /// The hosts of the presence.
    pub fn hosts(&self) -> &'p [Host<'h>] {
        self.presence.hosts()
    }

    /// Whether no other route has any of the hosts.
    pub fn is_none(&self) -> bool {
        self.uses.iter().all(Vec::is_empty)
    }

    /// Whether no other route has the host at this index.
    pub fn is_empty(&self, host: usize) -> bool {
        self.uses[host].is_empty()
    }

    /// The other routes that have the claim of the host at this index for one of its names, on a listener that accepts
    /// both. Of routes that no comparison distinguishes, only the oldest is returned.
    pub fn with<'s>(
        &'s self,
        host: usize,
        claim: impl Fn(&'s Host<'p>) -> RouteClaim<'s>,
    ) -> impl Iterator<Item = RivalRoute<'h>> {
        let claims = self.uses[host].iter().map(move |(reference, name)| (*reference, claim(name)));
        // Routes with many matches are found by their references, too, unless a match is asked for.
        let claims = claims.filter(|(of, claim)| of.is_some() || matches!(claim, RouteClaim::Match(..)));
        claims.flat_map(move |(reference, claim)| {
            let found = self.cluster.routes_with_claim(self.kind, reference, claim);
            found.into_iter().filter_map(move |other| {
                let listener = self.common_listener(host, other.facts)?;
                Some(RivalRoute { facts: other.facts, listener })
            })
        })
    }

    /// The first of these routes for which `is_rival` is true: one of another namespace before one of the same
    /// namespace, then the oldest, then the first by reference.
    pub fn first(
        &self,
        host: usize,
        rivals: impl Iterator<Item = RivalRoute<'h>>,
        is_rival: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
    ) -> Option<RivalRoute<'h>> {
        let own = &self.cluster.this().namespace;
        let rank = |rival: &RivalRoute<'h>| {
            let GatewayRouteFacts { object_ref, created, .. } = rival.facts;
            (object_ref.namespace == *own, created.is_none(), *created, object_ref)
        };
        let mut best: Option<RivalRoute<'h>> = None;
        for rival in rivals {
            let is_better = best.as_ref().is_none_or(|best| rank(&rival) < rank(best));
            if is_better && is_rival(&self.presence.hosts()[host], rival.facts) {
                best = Some(rival);
            }
        }
        best
    }

    /// The first listener that accepts `other` with the host at this index.
    fn common_listener(&self, host: usize, other: &'h GatewayRouteFacts) -> Option<&'h ListenerFacts> {
        *self
            .common_listeners
            .borrow_mut()
            .entry((host, other))
            .or_insert_with(|| self.find_common_listener(host, other))
    }

    fn find_common_listener(&self, host: usize, other: &'h GatewayRouteFacts) -> Option<&'h ListenerFacts> {
        let own = &self.presence.hosts()[host];
        let is_named = other.hosts.contains(own);
        // With a wildcard or without a host, the other route has exactly this host only on a listener with this host.
        let has_host = |listener: &ListenerFacts| is_named || (listener.host == *own && covers(other, own));
        let parents = self.presence.by_parent();
        let mut parents = parents.filter(|(parent, _)| other.uses_defaults || other.refers_to(&parent.object_ref));
        parents.find_map(|(parent, listeners)| {
            let mut with_host = listeners.iter().filter(|(_, hosts)| hosts.contains(&host));
            let accepting =
                with_host.find(|(listener, _)| has_host(listener) && accepts(listener, parent, other, self.cluster));
            accepting.map(|(listener, _)| *listener)
        })
    }
}

fn covers(other: &GatewayRouteFacts, host: &Host<'_>) -> bool {
    other.hosts.is_empty() || other.hosts.iter().any(|own| own.covers(host, Depth::AnyLabels))
}

/// The names that another route may use to have `host` too: the host itself and, if it is the complete host of a
/// listener, the wildcards that cover it and `Host::Any`.
fn names<'n>(host: &'n Host<'_>, is_whole: bool) -> impl Iterator<Item = Host<'n>> {
    let above = host.wildcards_above().chain((*host != Host::Any).then_some(Host::Any));
    std::iter::once(host.borrowed()).chain(is_whole.then_some(above).into_iter().flatten())
}

fn is_claimed(kind: Kind, reference: Option<RouteReference<'_>>, host: &Host<'_>, cluster: &Overlay<'_>) -> bool {
    !cluster.routes_with_claim(kind, reference, RouteClaim::host(host)).is_empty()
}
