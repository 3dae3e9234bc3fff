//! Routes that conflict with another route on a listener, because they match the same requests or accept the same
//! connections.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::attachment::accepts;
use super::presence::Presence;
use super::rivals::Rivals;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts};
use crate::cluster::route_claim::RouteClaim;
use crate::kinds::{ObjectRef, Route};
use crate::matching::request::{self, CanonicalMatch, NarrowerMatch, canonical_matches, narrower_matches};
use crate::matching::{Depth, Host};

/// A match that another route of the same kind has too, for one host on one listener.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchConflict<'h> {
    /// The match.
    pub matched: CanonicalMatch<'h>,
    /// The host.
    pub host: Host<'h>,
    /// The other route.
    pub other: &'h GatewayRouteFacts,
}

/// Which of two routes with an equal match for `host` comes first whatever their age: a hostname of a route precedes one that only the
/// listener makes so specific.
pub fn by_host(host: &Host<'_>, facts: &GatewayRouteFacts, other: &GatewayRouteFacts) -> Ordering {
    let names = |route: &GatewayRouteFacts| route.hosts.contains(host);
    names(other).cmp(&names(facts))
}

/// Two routes with a common host on a listener that sends traffic for the host to only one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct HostConflict<'h> {
    /// The host for which the listener would send traffic to this route.
    pub host: Host<'h>,
    /// The listener.
    pub listener: &'h ListenerFacts,
    /// The other route.
    pub other: &'h GatewayRouteFacts,
}

/// The matches of a route that shares a host with another route, on a listener that may accept both.
pub struct RouteMatches<'p, 'h> {
    rivals: Rivals<'p, 'h>,
    own: Vec<CanonicalMatch<'h>>,
    /// For each distinct match its indexes in `own`.
    distinct: Vec<Vec<usize>>,
}

/// A host of a route and one of its distinct matches, as indexes.
#[derive(Debug, Clone, Copy)]
pub struct HostMatch {
    host: usize,
    matched: usize,
}

impl<'p, 'h> RouteMatches<'p, 'h> {
    /// The matches of `route` with this presence. `None` if it shares no host, or if the kind has no matches.
    pub fn of(route: &Route<'h, '_>, presence: &'p Presence<'h>, cluster: &'p Overlay<'h>) -> Option<Self> {
        let kind = route.kind();
        if matches!(route, Route::L4(..)) || !cluster.has_routes(kind) {
            return None;
        }
        let rivals = Rivals::of(presence, kind, cluster);
        if rivals.is_none() {
            return None;
        }
        let own = canonical_matches(route);
        let mut positions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (position, matched) in own.iter().enumerate() {
            positions.entry(&matched.key).or_default().push(position);
        }
        let distinct = positions.into_values().collect();
        Some(Self { rivals, own, distinct })
    }

    /// Each host with each distinct match.
    pub fn claims(&self) -> Vec<HostMatch> {
        let hosts = 0..self.rivals.hosts().len();
        hosts.flat_map(|host| (0..self.distinct.len()).map(move |matched| HostMatch { host, matched })).collect()
    }

    /// The matches among `claims` that another route has too, each for each position at which the route has it. For each
    /// match and host, one other route is returned: one of another namespace before one of the same namespace, then the
    /// oldest, then the first by reference. Only routes for which `is_rival` returns true are looked at.
    pub fn conflicts(
        &self,
        claims: &[HostMatch],
        is_rival: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
    ) -> Vec<MatchConflict<'h>> {
        let rivals = &self.rivals;
        let mut found = Vec::new();
        for HostMatch { host, matched } in claims.iter().filter(|claim| !rivals.is_empty(claim.host)) {
            let positions = &self.distinct[*matched];
            let key = &*self.own[positions[0]].key;
            let with_match = rivals.with(*host, |name| RouteClaim::matched(name, key));
            let Some(first) = rivals.first(*host, with_match, &is_rival) else { continue };
            found.extend(positions.iter().map(|position| {
                let host = rivals.hosts()[*host].clone();
                MatchConflict { matched: self.own[*position].clone(), host, other: first.facts }
            }));
        }
        found
    }

    /// All other routes that have the match of a conflict for its host; of those that no comparison distinguishes, only the oldest.
    pub fn others(&self, conflict: &MatchConflict<'h>) -> Vec<&'h GatewayRouteFacts> {
        let Some(host) = self.rivals.hosts().iter().position(|host| *host == conflict.host) else { return Vec::new() };
        let with_match = self.rivals.with(host, |name| RouteClaim::matched(name, &conflict.matched.key));
        let mut others: Vec<&'h GatewayRouteFacts> = with_match.map(|rival| rival.facts).collect();
        others.sort_by_key(|other| &other.object_ref);
        others.dedup_by_key(|other| &other.object_ref);
        others
    }
}

/// A match that takes requests of another route of the same kind, for one host on one listener.
#[derive(Debug, Clone, PartialEq)]
pub struct TakenMatch<'m, 'h> {
    /// The match.
    pub matched: &'m NarrowerMatch<'h>,
    /// The host.
    pub host: Host<'h>,
    /// The other route.
    pub other: &'h GatewayRouteFacts,
}

/// The matches of a route that take precedence over others with the same path or method, if it shares a host with another
/// route.
pub struct NarrowerMatches<'p, 'h> {
    rivals: Rivals<'p, 'h>,
    own: Vec<NarrowerMatch<'h>>,
}

impl<'p, 'h> NarrowerMatches<'p, 'h> {
    /// The matches of `route` with this presence. `None` if it shares no host.
    pub fn of(route: &Route<'h, '_>, presence: &'p Presence<'h>, cluster: &'p Overlay<'h>) -> Option<Self> {
        let rivals = Rivals::of(presence, route.kind(), cluster);
        // The keys of all matches cost more than the rivals.
        (!rivals.is_none()).then(|| Self { rivals, own: narrower_matches(route) })
    }

    /// The matches, in document order.
    pub fn own(&self) -> &[NarrowerMatch<'h>] {
        &self.own
    }

    /// The matches among `own` that take requests of another route. For each match and host, one other route is returned.
    /// Only routes for which `is_rival` returns true are looked at.
    pub fn taken<'m>(
        &self,
        own: &'m [NarrowerMatch<'h>],
        is_rival: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
    ) -> Vec<TakenMatch<'m, 'h>> {
        let rivals = &self.rivals;
        let mut found = Vec::new();
        for host in (0..rivals.hosts().len()).filter(|host| !rivals.is_empty(*host)) {
            for matched in own {
                let other = matched.wider.iter().find_map(|key| {
                    let with_match = rivals.with(host, |name| RouteClaim::matched(name, key));
                    rivals.first(host, with_match, &is_rival)
                });
                let host = &rivals.hosts()[host];
                found.extend(other.map(|other| TakenMatch { matched, host: host.clone(), other: other.facts }));
            }
        }
        found
    }
}

/// The routes of the same kind whose matches tie with those of `route`, with the facts `facts`, for some requests: each with the first
/// such match and a host of both. Only routes for which `is_rival` returns true are looked at.
pub fn ties<'h>(
    route: &Route<'h, '_>,
    facts: &'h GatewayRouteFacts,
    cluster: &Overlay<'h>,
    is_rival: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
) -> Vec<MatchConflict<'h>> {
    const ANY: &[Host<'static>] = &[Host::Any];
    let own = canonical_matches(route);
    let presence = Presence::of(facts, cluster);
    let mut found: BTreeMap<&ObjectRef, MatchConflict<'h>> = BTreeMap::new();
    for (parent, listeners) in presence.by_parent() {
        for host in if facts.hosts.is_empty() { ANY } else { &facts.hosts } {
            for other in cluster.routes_with_host(&parent.object_ref, route.kind(), host) {
                if found.contains_key(&other.object_ref) || !is_rival(host, other) {
                    continue;
                }
                let is_tied =
                    |matched: &&CanonicalMatch<'_>| other.matches.iter().any(|key| request::ties(&matched.key, key));
                let Some(matched) = own.iter().find(is_tied) else { continue };
                let overlaps = |listener: &ListenerFacts| {
                    listener.host.overlaps(host, Depth::AnyLabels) && accepts(listener, parent, other, cluster)
                };
                if listeners.iter().any(|(listener, _)| overlaps(listener)) {
                    let conflict = MatchConflict { matched: matched.clone(), host: host.clone(), other };
                    found.insert(&other.object_ref, conflict);
                }
            }
        }
    }
    found.into_values().collect()
}

/// The routes of the same kind that accept connections for the same host on a listener as `facts`, the facts of a
/// TLSRoute. For each host, one other route is returned: one of another namespace before one of the same namespace,
/// then the oldest, then the first by reference. Only routes for which `is_rival` returns true are looked at.
pub fn of_names<'h>(
    facts: &'h GatewayRouteFacts,
    cluster: &Overlay<'h>,
    is_rival: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
) -> Vec<HostConflict<'h>> {
    let kind = facts.object_ref.kind;
    if !cluster.has_routes(kind) {
        return Vec::new();
    }
    let presence = Presence::of(facts, cluster);
    let rivals = Rivals::of(&presence, kind, cluster);
    let conflicts = presence.hosts().iter().enumerate().filter_map(|(position, host)| {
        let first = rivals.first(position, rivals.with(position, |name| RouteClaim::host(name)), &is_rival)?;
        Some(HostConflict { host: host.clone(), listener: first.listener, other: first.facts })
    });
    let mut found: Vec<HostConflict<'h>> = conflicts.collect();
    found.sort_by_cached_key(|conflict| conflict.host.from_the_right());
    found
}
