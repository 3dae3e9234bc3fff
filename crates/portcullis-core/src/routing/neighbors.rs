//! The routes of other namespaces that share a host with a route on listeners that accept both, regardless of their
//! other conditions.

use super::attachment::accepts;
use super::presence::Presence;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::matching::Host;

/// The maximum number of routes that are looked at per host. This is enough to find one and limits the work for
/// namespaces with thousands of routes.
const MAX_ROUTES_PER_HOST: usize = 64;

/// The routes of the same kind in other namespaces that share a host with the route of `facts`, by host, as far as the
/// budget suffices. A wildcard is only compared with itself, and `Host::Any` is skipped.
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
        // `routes_naming` returns routes of other namespaces first.
        let others = others
            .take_while(|other| other.object_ref.namespace != facts.object_ref.namespace)
            .take(MAX_ROUTES_PER_HOST);
        let others: Vec<_> = others.filter(|other| is_accepted(&presence, position, other, cluster)).collect();
        (!others.is_empty()).then(|| (host.clone(), others))
    };
    let mut found: Vec<_> = named.filter_map(of_host).collect();
    found.sort_by_cached_key(|(host, _)| host.from_the_right());
    found
}

/// Whether a listener that has the host at this position of the presence accepts `other`, too.
fn is_accepted(presence: &Presence<'_>, position: usize, other: &GatewayRouteFacts, cluster: &Overlay<'_>) -> bool {
    let mut shared = presence.by_parent().filter(|(parent, _)| other.refers_to(&parent.object_ref));
    shared.any(|(parent, listeners)| {
        let mut with_host = listeners.iter().filter(|(_, hosts)| hosts.contains(&position));
        with_host.any(|(listener, _)| accepts(listener, parent, other, cluster))
    })
}
