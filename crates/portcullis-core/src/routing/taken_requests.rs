//! The routes that lose requests to a listener with a more specific host: connections go to the most specific listener of
//! a port, whether or not it accepts the route that served them before.

use super::attachment::{accepts, allows_set, common_hosts, may_accept, takes_kind};
use super::kind_lookup::overlapping_routes;
use super::listener_conflict::conflict;
use super::used_references::used_references;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::cluster::hosts::ROUTES_WITH_HOSTS;
use crate::cluster::{Lookup, Overlay};
use crate::kinds::protocol::told_apart_by_host;
use crate::matching::Host;
use crate::matching::host::Depth;

/// Routes that a listener serves for the requests that a more specific one would take.
pub struct TakenRequests<'t, 'c> {
    cluster: &'t Overlay<'c>,
    own: &'t ListenersFacts,
    gateway: &'t ListenersFacts,
}

impl<'t, 'c: 't> TakenRequests<'t, 'c> {
    /// For the listeners of `own`. `None` if they are not certainly those of a Gateway.
    pub fn new(own: &'t ListenersFacts, cluster: &'t Overlay<'c>) -> Option<Self> {
        let gateway = match &own.parent {
            None => own,
            Some(parent) => match cluster.listeners(parent) {
                Lookup::Found(gateway) if allows_set(gateway, own, cluster) == Some(true) => gateway,
                _ => return None,
            },
        };
        Some(Self { cluster, own, gateway })
    }

    /// The Gateway of the listeners.
    pub fn gateway(&self) -> &'t ListenersFacts {
        self.gateway
    }

    /// Whether the listeners of `owner`, the Gateway or one of its ListenerSets, are certainly those of the Gateway.
    pub fn contains(&self, owner: &ListenersFacts) -> bool {
        owner.parent.is_none() || (owner.error.is_none() && allows_set(self.gateway, owner, self.cluster) == Some(true))
    }

    /// Whether `owner` has a valid listener that conflicts with `listener`.
    pub fn has_rival(&self, listener: &ListenerFacts, owner: &ListenersFacts) -> bool {
        let is_rival = |theirs: &ListenerFacts| theirs.error.is_none() && conflict(listener, theirs).is_some();
        listener.error.is_none() && owner.listeners.iter().any(is_rival)
    }

    /// The routes in other namespaces that lose requests to `listener`, each with a host of these requests. The listener does
    /// not accept them, or only for other requests.
    pub fn routes(&self, listener: &'t ListenerFacts) -> Vec<(Host<'t>, &'t GatewayRouteFacts)> {
        let Some(port) = listener.port.filter(|_| listener.has_host() && listener.error.is_none()) else {
            return Vec::new();
        };
        // What the other listeners of the object take is not theirs.
        let [of_others, of_own] = [false, true].map(|is_own| {
            let wider = listener.host.wildcards_above().chain([Host::Any]).filter(|host| *host != listener.host);
            wider.into_iter().find_map(|host| match is_own {
                true => served(self.own, port, &listener.protocol, &host),
                false => self.of_others(port, &listener.protocol, &host),
            })
        });
        let taken = of_others.into_iter().chain(of_own).flat_map(|served| self.taken_from(served, listener, port));
        taken.collect()
    }

    /// The owner of the most specific listener for `host`, if it takes the requests from `listener`, which accepts `route`, and does not
    /// accept the route itself.
    pub fn taker(
        &self,
        listener: &ListenerFacts,
        host: &Host<'_>,
        route: &GatewayRouteFacts,
    ) -> Option<&'t ListenersFacts> {
        let port = listener.port?;
        let is_narrower = |host: &Host<'_>| *host != listener.host && listener.host.covers(host, Depth::AnyLabels);
        let mut narrower = host.with_wildcards_above().take_while(is_narrower);
        let (owner, taking) = narrower.find_map(|host| self.of_others(port, &listener.protocol, &host))?;
        (!may_accept(taking, owner, route, self.cluster)).then_some(owner)
    }

    /// The routes that `serving` accepts and that lose requests to `listener`.
    fn taken_from(
        &self,
        (parent, serving): (&'t ListenersFacts, &'t ListenerFacts),
        listener: &'t ListenerFacts,
        port: i64,
    ) -> Vec<(Host<'t>, &'t GatewayRouteFacts)> {
        let mut taken = Vec::new();
        for kind in ROUTES_WITH_HOSTS.into_iter().filter(|kind| takes_kind(serving, *kind) == Some(true)) {
            for used in used_references(parent, &[serving], kind, self.cluster) {
                let overlapping =
                    overlapping_routes(kind, &used, &listener.host, self.cluster).into_iter().map(|first| first.facts);
                let lost = overlapping.filter(|route| {
                    route.object_ref.namespace != self.own.object_ref.namespace
                        && accepts(serving, parent, route, self.cluster)
                        && !may_accept(listener, self.own, route, self.cluster)
                });
                taken.extend(lost.filter_map(|route| Some((self.lost_host(route, listener, port)?, route))));
            }
        }
        taken
    }

    /// The first host of the route that it loses to `listener` as a whole; `None` if another listener serves all of them. A
    /// route without hostnames, or with a wildcard above the listener's host, serves what no other listener does.
    fn lost_host(&self, route: &'t GatewayRouteFacts, listener: &'t ListenerFacts, port: i64) -> Option<Host<'t>> {
        let is_lost = |host: &Host<'_>| route.hosts.iter().any(|own| own == host);
        common_hosts(route, listener).into_iter().filter(is_lost).find(|host| {
            let covered = host.with_wildcards_above().take_while(|host| listener.host.covers(host, Depth::AnyLabels));
            let mut more_specific = covered.filter(|host| *host != listener.host);
            !more_specific.any(|host| {
                let protocol = &listener.protocol;
                served(self.own, port, protocol, &host).or_else(|| self.of_others(port, protocol, &host)).is_some()
            })
        })
    }

    /// The listener of another object that is served for exactly `host`.
    fn of_others(&self, port: i64, protocol: &str, host: &Host<'_>) -> Option<(&'t ListenersFacts, &'t ListenerFacts)> {
        let owners = sharing(protocol)
            .flat_map(|protocol| self.cluster.listener_owners(&self.gateway.object_ref, (port, protocol, Some(host))));
        let owners = owners.map(|owner| -> &'t ListenersFacts { owner }).filter(|owner| self.contains(owner));
        let served = owners.filter_map(|owner| served(owner, port, protocol, host));
        served.min_by(|(one, _), (other, _)| one.precedence(other))
    }
}

/// The listener of `owner` for exactly `host` on a port, of a protocol that shares connections with `protocol`.
fn served<'t>(
    owner: &'t ListenersFacts,
    port: i64,
    protocol: &str,
    host: &Host<'_>,
) -> Option<(&'t ListenersFacts, &'t ListenerFacts)> {
    let matches = |listener: &&ListenerFacts| {
        listener.port == Some(port)
            && sharing(protocol).any(|protocol| protocol == &*listener.protocol)
            && listener.host == *host
            && listener.error.is_none()
    };
    Some((owner, owner.listeners.iter().find(matches)?))
}

/// The protocols whose listeners share the connections of a port with those of `protocol`.
fn sharing(protocol: &str) -> impl Iterator<Item = &str> {
    std::iter::once(protocol).chain(told_apart_by_host(protocol))
}
