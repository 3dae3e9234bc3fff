//! Routes that contradict another on a listener: one that matches the same requests or takes the same connections.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::presence::Presence;
use super::rivals::{Rival, contested};
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts};
use crate::kinds::{Kind, ObjectRef, Route};
use crate::matching::Host;
use crate::matching::request::{Asked, asked};

/// A match of a route that another route of its kind makes too, for one host on one listener.
#[derive(Debug, Clone, PartialEq)]
pub struct Conflict<'h> {
    /// The match.
    pub asked: Asked<'h>,
    /// The host.
    pub host: Host<'h>,
    /// The other route.
    pub other: &'h GatewayRouteFacts,
}

/// Two routes that have a host in common on one listener, which sends what comes for it to only one of them.
#[derive(Debug, Clone, PartialEq)]
pub struct Clash<'h> {
    /// The host under which the listener would send requests to this route.
    pub host: Host<'h>,
    /// The listener.
    pub listener: &'h ListenerFacts,
    /// The other route.
    pub other: &'h GatewayRouteFacts,
}

/// The matches of `route`, with `facts`, that another route makes too: for each of them and each host the other of another namespace before
/// one of its own, then by place. Others to which `consents` are left out.
pub fn of_matches<'h>(
    route: &Route<'h, '_>,
    facts: &'h GatewayRouteFacts,
    cluster: &Overlay<'h>,
    consents: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
) -> Vec<Conflict<'h>> {
    let kind = facts.object_ref.kind;
    if matches!(route, Route::L4(..)) || !cluster.has_routes(kind) {
        return Vec::new();
    }
    let presence = Presence::of(facts, cluster);
    let names = names_taken(&presence, kind, cluster);
    if names.is_empty() {
        return Vec::new();
    }
    let own = asked(route);
    let mut positions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (position, asked) in own.iter().enumerate() {
        positions.entry(&asked.key).or_default().push(position);
    }
    let (keys, positions): (Vec<&str>, Vec<Vec<usize>>) = positions.into_iter().unzip();
    let rivals = with_same(&keys, &presence, &names, kind, cluster);
    cluster.steps().begin();
    let mut found: Vec<((usize, String), &Host<'h>, &'h GatewayRouteFacts)> = Vec::new();
    for contested in contested(&presence, rivals, keys.len(), cluster, consents) {
        let Rival { facts: other, .. } = contested.rival;
        let host = &presence.hosts()[contested.host];
        let from_the_right = host.from_the_right();
        for position in contested.rival.entries.iter().flat_map(|entry| &positions[*entry]) {
            found.push(((*position, from_the_right.clone()), host, other));
        }
    }
    found.sort_by(|(left, ..), (right, ..)| left.cmp(right));
    let conflicts = found.into_iter().map(|((position, _), host, other)| {
        let asked: &Asked<'h> = &own[position];
        Conflict { asked: asked.clone(), host: host.clone(), other }
    });
    conflicts.collect()
}

/// The routes of its kind that take connections for the same host on one listener as `facts`, of a TLSRoute: for each host the other of
/// another namespace before one of its own, then by place. Others to which `consents` are left out.
pub fn of_names<'h>(
    facts: &'h GatewayRouteFacts,
    cluster: &Overlay<'h>,
    consents: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
) -> Vec<Clash<'h>> {
    let kind = facts.object_ref.kind;
    if !cluster.has_routes(kind) {
        return Vec::new();
    }
    let presence = Presence::of(facts, cluster);
    let mut others: BTreeMap<_, Rival<'h>> = BTreeMap::new();
    for name in presence.names() {
        let named = cluster.routes_naming(kind, &name);
        let unnamed = presence.parents().iter().filter(|_| name == Host::Any);
        let unnamed = unnamed.flat_map(|parent| cluster.routes_with_host(&parent.object_ref, kind, &name));
        for other in named.chain(unnamed) {
            others.entry(rank(other, facts)).or_insert_with(|| Rival::of_everything(other));
        }
    }
    let contested = contested(&presence, others.into_values().collect(), 1, cluster, consents);
    let clash = contested.into_iter().map(|contested| {
        let host = presence.hosts()[contested.host].clone();
        Clash { host, listener: contested.listener, other: contested.rival.facts }
    });
    let mut found: Vec<Clash<'h>> = clash.collect();
    found.sort_by_cached_key(|clash| clash.host.from_the_right());
    found
}

/// The order in which others are compared: those of other namespaces first, then by place.
fn rank<'h>(other: &'h GatewayRouteFacts, own: &GatewayRouteFacts) -> (bool, &'h ObjectRef) {
    (other.object_ref.namespace == own.object_ref.namespace, &other.object_ref)
}

/// The names under which another route of `kind` could come under one of the hosts, of those that another one has.
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

/// How many entries of the index are looked at in the time of a step.
const HITS_A_STEP: usize = 4;

/// The other routes that ask for some of the same under one of these names, in the order in which they are compared. The search ends, for
/// certain only between two questions, where its budget does.
fn with_same<'h>(
    keys: &[&str],
    presence: &Presence<'h>,
    names: &[Host<'_>],
    kind: Kind,
    cluster: &Overlay<'h>,
) -> Vec<Rival<'h>> {
    let mut found: HashMap<*const GatewayRouteFacts, (&'h GatewayRouteFacts, Vec<usize>)> = HashMap::new();
    'search: for name in names {
        let host = name.from_the_right();
        // Whoever names no host is looked for parent by parent.
        let scopes = if *name == Host::Any { presence.parents().len() } else { 1 };
        for parent in &presence.parents()[..scopes] {
            for (entry, key) in keys.iter().enumerate() {
                // Of the namespace that is written to, and of others.
                let mut hits = [1, 0];
                for other in cluster.routes_with_match(&parent.object_ref, kind, &host, key) {
                    hits[usize::from(other.object_ref.namespace != cluster.this().namespace)] += 1;
                    found.entry(other).or_insert_with(|| (other, Vec::new())).1.push(entry);
                }
                let [own, others] = hits.map(|hits| usize::div_ceil(hits, HITS_A_STEP));
                if !(cluster.steps().take(true, own) && cluster.steps().take(false, others)) {
                    break 'search;
                }
            }
        }
    }
    let is_asked = |other: &GatewayRouteFacts, entry: &usize| {
        other.matches.binary_search_by(|own| (**own).cmp(keys[*entry])).is_ok()
    };
    let mut rivals = Vec::with_capacity(found.len());
    for (other, mut entries) in found.into_values() {
        entries.sort_unstable();
        entries.dedup();
        entries.retain(|entry| is_asked(other, entry));
        rivals.push(Rival { facts: other, entries });
    }
    // The first that has a match is named, and the oldest is the one that takes precedence.
    rivals.sort_by(|Rival { facts: left, .. }, Rival { facts: right, .. }| {
        let is_own = |facts: &GatewayRouteFacts| facts.object_ref.namespace == cluster.this().namespace;
        let age = |facts: &GatewayRouteFacts| (is_own(facts), facts.created.is_none(), facts.created);
        (age(left), &left.object_ref).cmp(&(age(right), &right.object_ref))
    });
    rivals
}

/// The other routes of `kind` that refer to `parent` and may have a host in common with `host`: those that name it or what covers it, then
/// those that name what it covers.
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
