//! The routes of other namespaces that share a host with a route on the listeners that take both, whatever else they match.

use super::attachment::matches;
use super::presence::Presence;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::matching::Host;

/// How many routes of one host are looked at: enough to find one, and no more work than that for whoever has thousands.
const MOST: usize = 64;

/// The routes of its kind and other namespaces that share a host with the route of `facts`, by host, as far as the budget suffices. A host
/// of many names counts as itself only, and every host as nobody's.
pub fn neighbors<'h>(
    facts: &'h GatewayRouteFacts,
    cluster: &Overlay<'h>,
) -> Vec<(Host<'h>, Vec<&'h GatewayRouteFacts>)> {
    if !cluster.has_routes(facts.object_ref.kind) {
        return Vec::new();
    }
    let presence = Presence::of(facts, cluster);
    let named = presence.hosts().iter().enumerate().filter(|(_, host)| **host != Host::Any);
    let of_host = |(position, host): (usize, &Host<'h>)| {
        let others = cluster.routes_naming(facts.object_ref.kind, host);
        // Those of other namespaces come first.
        let others = others.take_while(|other| other.object_ref.namespace != facts.object_ref.namespace).take(MOST);
        let others: Vec<_> = others.filter(|other| is_there(&presence, position, other, cluster)).collect();
        (!others.is_empty()).then(|| (host.clone(), others))
    };
    let mut found: Vec<_> = named.filter_map(of_host).collect();
    found.sort_by_cached_key(|(host, _)| host.from_the_right());
    found
}

/// Whether a listener takes `other` too that has the host at this position of the presence.
fn is_there(presence: &Presence<'_>, position: usize, other: &GatewayRouteFacts, cluster: &Overlay<'_>) -> bool {
    let mut shared = presence.by_parent().filter(|(parent, _)| other.refers_to(&parent.object_ref));
    shared.any(|(parent, listeners)| {
        let mut with_host = listeners.iter().filter(|(_, hosts)| hosts.contains(&position));
        with_host.any(|(listener, _)| cluster.take_step(&other.object_ref) && matches(listener, parent, other, cluster))
    })
}
