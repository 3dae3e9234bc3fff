//! Routes that contradict another on a listener: one that matches the same requests or takes the same connections.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::attachment::{Attachment, common_hosts, takes};
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::kinds::{Kind, Route};
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

/// A parent with those of its listeners that take a route.
pub(super) type Site<'h> = (&'h ListenersFacts, Vec<&'h ListenerFacts>);

/// The matches of `route`, with `facts`, that another route makes too: for each of them and each host the other of another namespace before
/// one of its own, then by place. Others to which `consents` are left out.
pub fn of_matches<'h>(
    route: &Route<'h, '_>,
    facts: &'h GatewayRouteFacts,
    cluster: &Overlay<'h>,
    consents: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
) -> Vec<Conflict<'h>> {
    let (mut own, mut found) = (None, BTreeMap::new());
    if matches!(route, Route::L4(..)) || !cluster.has_routes(facts.place.kind) {
        return Vec::new();
    }
    for (parent, listeners) in sites(facts, cluster) {
        for (name, served) in names(facts, &listeners) {
            if !is_taken(parent, &name, &served, facts.place.kind, cluster) {
                continue;
            }
            let own: &Vec<Asked<'h>> = own.get_or_insert_with(|| asked(route));
            for (other, positions) in with_same(own, parent, &name, facts.place.kind, cluster) {
                let shared = served.iter().filter(|(listener, host)| {
                    takes(listener, parent, other, cluster) && common_hosts(other, listener).contains(host)
                });
                for (_, host) in shared.filter(|(_, host)| !consents(host, other)) {
                    for position in &positions {
                        let key = (*position, host.from_the_right());
                        let best = found.entry(key).or_insert_with(|| (host.clone(), other));
                        let rank = |of: &GatewayRouteFacts| of.place.namespace == facts.place.namespace;
                        if (rank(other), &other.place) < (rank(best.1), &best.1.place) {
                            best.1 = other;
                        }
                    }
                }
            }
        }
    }
    let own = own.unwrap_or_default();
    let conflict =
        |((position, _), (host, other)): ((usize, String), _)| Conflict { asked: own[position].clone(), host, other };
    found.into_iter().map(conflict).collect()
}

/// The routes of its kind that take connections for the same host on one listener as `facts`, of a TLSRoute: for each host the other of
/// another namespace before one of its own, then by place. Others to which `consents` are left out.
pub fn of_names<'h>(
    facts: &'h GatewayRouteFacts,
    cluster: &Overlay<'h>,
    consents: impl Fn(&Host<'_>, &GatewayRouteFacts) -> bool,
) -> Vec<Clash<'h>> {
    let kind = facts.place.kind;
    if !cluster.has_routes(kind) {
        return Vec::new();
    }
    let rank = |other: &'h GatewayRouteFacts| (other.place.namespace == facts.place.namespace, &other.place);
    let mut found: BTreeMap<String, Clash<'h>> = BTreeMap::new();
    for (parent, listeners) in sites(facts, cluster) {
        for (name, served) in names(facts, &listeners) {
            for (listener, host) in served {
                let sections = ["", &*listener.name].into_iter();
                let others =
                    sections.flat_map(|section| cluster.routes_with_host((&parent.place, section), kind, &name));
                let rivals = others.filter(|other| {
                    takes(listener, parent, other, cluster)
                        && common_hosts(other, listener).contains(&host)
                        && !consents(&host, other)
                });
                let Some(other) = rivals.min_by_key(|other| rank(other)) else { continue };
                let best = found.entry(host.from_the_right()).or_insert(Clash { host, listener, other });
                if rank(other) < rank(best.other) {
                    (best.listener, best.other) = (listener, other);
                }
            }
        }
    }
    found.into_values().collect()
}

/// Each parent of a route with those of its listeners that take it, each once.
pub(super) fn sites<'h>(facts: &GatewayRouteFacts, cluster: &Overlay<'h>) -> Vec<Site<'h>> {
    let mut sites: Vec<Site<'h>> = Vec::new();
    for reference in &facts.parents {
        let attachment = Attachment::of(facts, reference, cluster);
        let Attachment::Decided { parent, .. } = &attachment else { continue };
        let position = sites.iter().position(|(known, _)| known.place == parent.place).unwrap_or_else(|| {
            sites.push((parent, Vec::new()));
            sites.len() - 1
        });
        for listener in attachment.accepting() {
            let known = &mut sites[position].1;
            if !known.iter().any(|known| std::ptr::eq(*known, listener)) {
                known.push(listener);
            }
        }
    }
    sites
}

/// Each host by which another route could come under one of this route's hosts on a listener, with those listeners and hosts: the host
/// itself, and where that is the whole listener's whatever covers it.
fn names<'h>(
    facts: &'h GatewayRouteFacts,
    listeners: &[&'h ListenerFacts],
) -> HashMap<Host<'h>, Vec<(&'h ListenerFacts, Host<'h>)>> {
    let mut names: HashMap<_, Vec<_>> = HashMap::new();
    for listener in listeners.iter().copied() {
        for host in common_hosts(facts, listener) {
            if host == listener.host && host != Host::Any {
                let above = listener.host.wildcards_above().chain([Host::Any]);
                above.for_each(|name| names.entry(name).or_default().push((listener, host.clone())));
            }
            names.entry(host.clone()).or_default().push((listener, host));
        }
    }
    names
}

/// Whether another route of `kind` names `name` under one of the listeners.
fn is_taken(
    parent: &ListenersFacts,
    name: &Host<'_>,
    served: &[(&ListenerFacts, Host<'_>)],
    kind: Kind,
    cluster: &Overlay<'_>,
) -> bool {
    let sections = served.iter().map(|(listener, _)| &*listener.name);
    let mut sections = [""].into_iter().chain(sections);
    sections.any(|section| cluster.routes_with_host((&parent.place, section), kind, name).next().is_some())
}

/// The other routes that ask for some of the same under a parent and the host `name`, each with the positions of what they ask for.
fn with_same<'h>(
    own: &[Asked<'_>],
    parent: &ListenersFacts,
    name: &Host<'_>,
    kind: Kind,
    cluster: &Overlay<'h>,
) -> Vec<(&'h GatewayRouteFacts, Vec<usize>)> {
    let mut others = BTreeMap::new();
    for (position, asked) in own.iter().enumerate() {
        let same = cluster.routes_with_match(&parent.place, kind, name, &asked.key);
        for other in same.filter(|other| other.matches.binary_search(&asked.key).is_ok()) {
            others.entry(&other.place).or_insert_with(|| (other, Vec::new())).1.push(position);
        }
    }
    others.into_values().collect()
}

/// The other routes of `kind` that refer to a listener and may have a host in common with `host`: those that name it or what covers it,
/// then those that name what it covers.
pub(super) fn met<'h, 's>(
    host: &'s Host<'_>,
    (parent, listener): (&'s ListenersFacts, &'s ListenerFacts),
    kind: Kind,
    cluster: &'s Overlay<'h>,
) -> impl Iterator<Item = &'h GatewayRouteFacts> + use<'h, 's> {
    ["", &*listener.name].into_iter().flat_map(move |section| {
        let section = (&parent.place, section);
        let any = (*host != Host::Any).then_some(Host::Any);
        let above = std::iter::once(host.borrowed()).chain(host.wildcards_above()).chain(any);
        let above = above.flat_map(move |name| cluster.routes_with_host(section, kind, &name).collect::<Vec<_>>());
        above.chain(cluster.routes_covered(section, kind, host))
    })
}
