//! Where a route is attached: the listeners that accept it, by parent, and its hosts on each.

use hashbrown::HashMap;

use super::attachment::{Attachment, common_hosts};
use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts};
use crate::matching::Host;

/// A parent and those of its listeners that accept a route.
pub(super) type AttachedParent<'h> = (&'h ListenersFacts, Vec<&'h ListenerFacts>);

/// Each parent of a route with those of its listeners that accept it, each once.
pub(super) fn attached_parents<'h>(facts: &GatewayRouteFacts, cluster: &Overlay<'h>) -> Vec<AttachedParent<'h>> {
    let mut attached_parents: Vec<AttachedParent<'h>> = Vec::new();
    for reference in &facts.parents {
        let attachment = Attachment::of(facts, reference, cluster);
        let Attachment::Decided { parent, .. } = &attachment else { continue };
        let position =
            attached_parents.iter().position(|(known, _)| known.object_ref == parent.object_ref).unwrap_or_else(|| {
                attached_parents.push((parent, Vec::new()));
                attached_parents.len() - 1
            });
        for listener in attachment.accepting() {
            let known = &mut attached_parents[position].1;
            if !known.iter().any(|known| std::ptr::eq(*known, listener)) {
                known.push(listener);
            }
        }
    }
    attached_parents
}

/// The listeners that accept a route, and its hosts there.
pub struct Presence<'h> {
    parents: Vec<&'h ListenersFacts>,
    /// For each parent the listeners, each with indexes into `hosts`.
    listeners: Vec<Vec<(&'h ListenerFacts, Vec<usize>)>>,
    hosts: Vec<Host<'h>>,
}

impl<'h> Presence<'h> {
    /// Returns the presence of the route with these facts.
    pub fn of(facts: &'h GatewayRouteFacts, cluster: &Overlay<'h>) -> Self {
        let mut presence = Self { parents: Vec::new(), listeners: Vec::new(), hosts: Vec::new() };
        let mut positions: HashMap<Host<'h>, usize> = HashMap::new();
        for (parent, listeners) in attached_parents(facts, cluster) {
            let at_parent = listeners.into_iter().map(|listener| {
                let hosts = common_hosts(facts, listener).into_iter().map(|host| {
                    *positions.entry(host).or_insert_with_key(|host| {
                        presence.hosts.push(host.clone());
                        presence.hosts.len() - 1
                    })
                });
                (listener, hosts.collect())
            });
            presence.listeners.push(at_parent.collect());
            presence.parents.push(parent);
        }
        presence
    }

    /// The hosts, each once.
    pub fn hosts(&self) -> &[Host<'h>] {
        &self.hosts
    }

    /// Each parent with its listeners, each with the indexes of its hosts.
    pub fn by_parent(&self) -> impl Iterator<Item = (&'h ListenersFacts, &[(&'h ListenerFacts, Vec<usize>)])> {
        self.parents.iter().copied().zip(self.listeners.iter().map(Vec::as_slice))
    }
}
