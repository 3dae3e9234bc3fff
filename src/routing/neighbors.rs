//! The routes that share a host with a route on the listeners that take both, whatever else they match.

use std::collections::BTreeMap;

use super::attachment::{Attachment, common_hosts, takes};
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::GatewayRouteFacts;
use crate::matching::Host;

/// How many routes of one host and listener are looked at: enough to find one, and no more work than that for whoever has thousands.
const MOST: usize = 64;

/// Routes of one kind, by the host that they share with a route.
#[derive(Debug)]
pub struct Neighbors<'h> {
    by_host: BTreeMap<String, (Host<'h>, Vec<&'h GatewayRouteFacts>)>,
}

impl<'h> Neighbors<'h> {
    /// The neighbors of the route of `facts`, in any namespace. A host of many names counts as itself only, and every host as nobody's.
    pub fn of(facts: &'h GatewayRouteFacts, cluster: &Overlay<'h>) -> Self {
        let mut by_host: BTreeMap<String, (Host<'h>, Vec<&'h GatewayRouteFacts>)> = BTreeMap::new();
        if !cluster.has_routes(facts.place.kind) {
            return Self { by_host };
        }
        for reference in &facts.parents {
            let attachment = Attachment::of(facts, reference, cluster);
            let Attachment::Decided { parent, .. } = &attachment else { continue };
            for listener in attachment.accepting() {
                for host in common_hosts(facts, listener).into_iter().filter(|host| *host != Host::Any) {
                    let sections = ["", &*listener.name].into_iter();
                    let others = sections.flat_map(|section| {
                        cluster.routes_with_host((&parent.place, section), facts.place.kind, &host).take(MOST)
                    });
                    let others: Vec<_> = others.filter(|other| takes(listener, parent, other, cluster)).collect();
                    if !others.is_empty() {
                        by_host.entry(host.from_the_right()).or_insert_with(|| (host, Vec::new())).1.extend(others);
                    }
                }
            }
        }
        Self { by_host }
    }

    /// The hosts, each with the others that are served under it.
    pub fn by_host(self) -> impl Iterator<Item = (Host<'h>, Vec<&'h GatewayRouteFacts>)> {
        self.by_host.into_values()
    }
}
