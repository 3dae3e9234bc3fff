//! The routes of other namespaces that share a host with a route on listeners that accept both, regardless of their
//! other conditions.

use super::presence::Presence;
use super::rivals::Rivals;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::cluster::route_claim::RouteClaim;
use crate::matching::Host;

/// The routes of the same kind in other namespaces that share a host with the route of `facts`, by host. A wildcard is
/// only compared with itself, and `Host::Any` is skipped. Of the routes of one namespace, only the oldest ones are returned.
pub fn neighbors<'h>(
    facts: &'h GatewayRouteFacts,
    cluster: &Overlay<'h>,
) -> Vec<(Host<'h>, Vec<&'h GatewayRouteFacts>)> {
    let kind = facts.object_ref.kind;
    if !cluster.has_routes(kind) {
        return Vec::new();
    }
    let presence = Presence::of(facts, cluster);
    let rivals = Rivals::of(&presence, kind, cluster);
    let named = presence.hosts().iter().enumerate().filter(|(_, host)| **host != Host::Any);
    let of_host = |(position, host): (usize, &Host<'h>)| {
        let others = rivals.with(position, |name| RouteClaim::host(name)).map(|rival| rival.facts);
        let others = others
            .filter(|other| other.object_ref.namespace != facts.object_ref.namespace && other.hosts.contains(host));
        let others: Vec<_> = others.collect();
        (!others.is_empty()).then(|| (host.clone(), others))
    };
    let mut found: Vec<_> = named.filter_map(of_host).collect();
    found.sort_by_cached_key(|(host, _)| host.from_the_right());
    found
}
