//! Routes that conflict with another route on a listener, because they match the same requests or accept the same
//! connections.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::presence::Presence;
use super::rivals::{RivalRoute, contested};
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts};
use crate::kinds::{Kind, ObjectRef, Route};
use crate::matching::Host;
use crate::matching::request::{CanonicalMatch, canonical_matches};

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

/// The matches of `route`, whose facts are `facts`, that another route has too. For each match and host, one other
/// route is returned: one of another namespace before one of the same namespace, then the oldest, then the first by
/// reference. Routes for which `consents` returns true are left out.
pub fn of_matches<'h>(
    route: &Route<'h, '_>,
    facts: &'h GatewayRouteFacts,
    cluster: &Overlay<'h>,
    consents: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
) -> Vec<MatchConflict<'h>> {
    let kind = facts.object_ref.kind;
    if matches!(route, Route::L4(..)) || !cluster.has_routes(kind) {
        return Vec::new();
    }
    let presence = Presence::of(facts, cluster);
    let names = names_taken(&presence, kind, cluster);
    if names.is_empty() {
        return Vec::new();
    }
    let own = canonical_matches(route);
    let mut positions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, matched) in own.iter().enumerate() {
        positions.entry(&matched.key).or_default().push(position);
    }
    let (keys, positions): (Vec<&str>, Vec<Vec<usize>>) = positions.into_iter().unzip();
    let rivals = with_same(&keys, &presence, &names, kind, cluster);
    let mut found: Vec<((usize, String), &Host<'h>, &'h GatewayRouteFacts)> = Vec::new();
    for contested in contested(&presence, rivals, keys.len(), cluster, consents) {
        let RivalRoute { facts: other, .. } = contested.rival;
        let host = &presence.hosts()[contested.host];
        let from_the_right = host.from_the_right();
        for position in contested.rival.entries.iter().flat_map(|entry| &positions[*entry]) {
            found.push(((*position, from_the_right.clone()), host, other));
        }
    }
    found.sort_by(|(left, ..), (right, ..)| left.cmp(right));
    let conflicts = found.into_iter().map(|((position, _), host, other)| {
        let matched: &CanonicalMatch<'h> = &own[position];
        MatchConflict { matched: matched.clone(), host: host.clone(), other }
    });
    conflicts.collect()
}

/// The routes of the same kind that accept connections for the same host on a listener as `facts`, the facts of a
/// TLSRoute. For each host, one other route is returned: one of another namespace before one of the same namespace,
/// then the first by reference. Routes for which `consents` returns true are left out.
pub fn of_names<'h>(
    facts: &'h GatewayRouteFacts,
    cluster: &Overlay<'h>,
    consents: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
) -> Vec<HostConflict<'h>> {
    let kind = facts.object_ref.kind;
    if !cluster.has_routes(kind) {
        return Vec::new();
    }
    let presence = Presence::of(facts, cluster);
    let mut others: BTreeMap<_, RivalRoute<'h>> = BTreeMap::new();
    for name in presence.names() {
        let named = cluster.routes_naming(kind, &name);
        let unnamed = presence.parents().iter().filter(|_| name == Host::Any);
        let unnamed = unnamed.flat_map(|parent| cluster.routes_with_host(&parent.object_ref, kind, &name));
        for other in named.chain(unnamed) {
            others.entry(rank(other, facts)).or_insert_with(|| RivalRoute::of_everything(other));
        }
    }
    let contested = contested(&presence, others.into_values().collect(), 1, cluster, consents);
    let conflict = contested.into_iter().map(|contested| {
        let host = presence.hosts()[contested.host].clone();
        HostConflict { host, listener: contested.listener, other: contested.rival.facts }
    });
    let mut found: Vec<HostConflict<'h>> = conflict.collect();
    found.sort_by_cached_key(|conflict| conflict.host.from_the_right());
    found
}

/// The order in which other routes are compared: first those of other namespaces, then by reference.
fn rank<'h>(other: &'h GatewayRouteFacts, own: &GatewayRouteFacts) -> (bool, &'h ObjectRef) {
    (other.object_ref.namespace == own.object_ref.namespace, &other.object_ref)
}

/// Those of `presence.names()` that another route of `kind` actually uses.
fn names_taken<'p>(presence: &'p Presence<'_>, kind: Kind, cluster: &Overlay<'_>) -> Vec<Host<'p>> {
    let is_taken = |name: &Host<'_>| match name {
        Host::Any => {
            let mut parents = presence.parents().iter();
            parents.any(|parent| cluster.routes_with_host(&parent.object_ref, kind, name).next().is_some())
        }
        _ => cluster.routes_naming(kind, name).next().is_some(),
    };
    presence.names().into_iter().filter(is_taken).collect()
}

/// The other routes that have some of the same matches under one of `names`, in the order in which they are compared.
/// The search stops after the look-up that exhausts its budget.
fn with_same<'h>(
    keys: &[&str],
    presence: &Presence<'h>,
    names: &[Host<'_>],
    kind: Kind,
    cluster: &Overlay<'h>,
) -> Vec<RivalRoute<'h>> {
    let found = search(keys, presence, names, kind, cluster);
    let has_match = |other: &GatewayRouteFacts, entry: &usize| {
        other.matches.binary_search_by(|own| (**own).cmp(keys[*entry])).is_ok()
    };
    let mut rivals = Vec::with_capacity(found.len());
    for (other, mut entries) in found.into_values() {
        entries.sort_unstable();
        entries.dedup();
        entries.retain(|entry| has_match(other, entry));
        rivals.push(RivalRoute { facts: other, entries });
    }
    // `contested` reports the first rival with a match, so rivals of other namespaces come first, and then the oldest,
    // which takes precedence.
    rivals.sort_by(|RivalRoute { facts: left, .. }, RivalRoute { facts: right, .. }| {
        let is_own = |facts: &GatewayRouteFacts| facts.object_ref.namespace == cluster.this().namespace;
        let age = |facts: &GatewayRouteFacts| (is_own(facts), facts.created.is_none(), facts.created);
        (age(left), &left.object_ref).cmp(&(age(right), &right.object_ref))
    });
    rivals
}

/// Routes by identity, each with the positions of the keys under which the index has it, which may repeat.
type Hits<'h> = HashMap<*const GatewayRouteFacts, (&'h GatewayRouteFacts, Vec<usize>)>;

/// Looks up each name and key in the index, until the budget of steps is exhausted. The search stops only between two
/// lookups, so that all replicas stop at the same place.
fn search<'h>(
    keys: &[&str],
    presence: &Presence<'h>,
    names: &[Host<'_>],
    kind: Kind,
    cluster: &Overlay<'h>,
) -> Hits<'h> {
    let mut found = Hits::new();
    for name in names {
        let host = name.from_the_right();
        // Routes without hosts are indexed by parent, so each parent needs a look-up.
        let scopes = if *name == Host::Any { presence.parents().len() } else { 1 };
        for parent in &presence.parents()[..scopes] {
            for (entry, key) in keys.iter().enumerate() {
                for other in cluster.routes_with_match(&parent.object_ref, kind, &host, key) {
                    found.entry(other).or_insert_with(|| (other, Vec::new())).1.push(entry);
                }
            }
        }
    }
    found
}

/// The other routes of `kind` that refer to `parent` and may have a host in common with `host`: first those that name
/// the host or a wildcard that covers it, then those that name a host covered by it.
pub(super) fn met<'h, 's>(
    host: &'s Host<'_>,
    parent: &'s ObjectRef,
    kind: Kind,
    cluster: &'s Overlay<'h>,
) -> impl Iterator<Item = &'h GatewayRouteFacts> + use<'h, 's> {
    let any = (*host != Host::Any).then_some(Host::Any);
    let above = std::iter::once(host.borrowed()).chain(host.wildcards_above()).chain(any);
    let above = above.flat_map(move |name| cluster.routes_with_host(parent, kind, &name).collect::<Vec<_>>());
    above.chain(cluster.routes_covered(parent, kind, host))
}
