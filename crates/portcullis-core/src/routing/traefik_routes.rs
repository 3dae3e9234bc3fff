//! HTTPRoutes at Gateways of Traefik, which ranks rules by their paths before their hosts: a longer path of a route for a wildcard or
//! without hostnames takes requests for more specific hosts of other routes.

use super::attachment::{accepts, common_hosts};
use super::controllers::profile_of;
use super::kind_lookup::overlapping_routes;
use super::presence::Presence;
use super::used_references::used_references;
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts};
use crate::kinds::Kind;
use crate::matching::controller::Controller;
use crate::matching::{Depth, Host};

/// A route for a more specific host on a listener that both routes have.
#[derive(Debug, Clone, PartialEq)]
pub struct MoreSpecificRoute<'h> {
    /// The wildcard of the route under review, or [`Host::Any`].
    pub own: Host<'h>,
    /// The host of the other route.
    pub host: Host<'h>,
    /// The other route.
    pub other: &'h GatewayRouteFacts,
}

/// The HTTPRoutes of other namespaces for more specific hosts than those of `presence`, of each namespace the first ones, where Traefik
/// serves both.
pub fn more_specific<'h>(presence: &Presence<'h>, cluster: &Overlay<'h>) -> Vec<MoreSpecificRoute<'h>> {
    let mut all = Vec::new();
    let is_traefik = |parent| profile_of(parent, cluster).is_some_and(|own| own.controller == Controller::Traefik);
    for (parent, listeners) in presence.by_parent().filter(|(parent, _)| is_traefik(&parent.object_ref)) {
        let own: Vec<&ListenerFacts> = listeners.iter().map(|(listener, _)| *listener).collect();
        for used in used_references(parent, &own, Kind::HttpRoute, cluster) {
            for (listener, hosts) in used.listeners.iter().map(|index| &listeners[*index]) {
                for own in hosts.iter().map(|host| &presence.hosts()[*host]) {
                    if matches!(own, Host::Precise(_)) {
                        continue;
                    }
                    let others = overlapping_routes(Kind::HttpRoute, &used, own, cluster).into_iter();
                    let others = others.map(|first| first.facts).filter(|other| {
                        other.object_ref.namespace != cluster.this().namespace
                            && accepts(listener, parent, other, cluster)
                    });
                    all.extend(others.flat_map(|other| {
                        let hosts = common_hosts(other, listener).into_iter();
                        let hosts = hosts.filter(|host| host != own && own.covers(host, Depth::AnyLabels));
                        hosts.map(|host| MoreSpecificRoute { own: own.clone(), host, other })
                    }));
                }
            }
        }
    }
    all
}
