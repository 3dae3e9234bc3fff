//! The listeners of each Gateway, including those that ListenerSets add, by what listeners may conflict about. A look-up
//! takes one step for each namespace that has such a listener, however many ListenerSets a Gateway has.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use super::gateway_facts::{ListenerOwnerAge, ListenersFacts};
use super::small_set::SmallSet;
use crate::kinds::ObjectRef;
use crate::matching::Host;

/// The listeners, by Gateway.
#[derive(Debug, Default)]
pub struct ListenerIndex(HashMap<ObjectRef, OfGateway>);

/// The listeners of one Gateway and of its ListenerSets.
#[derive(Debug, Default)]
struct OfGateway {
    count: usize,
    by_port: HashMap<i64, HashMap<Box<str>, OfProtocol>>,
}

/// The objects with a listener of one port and protocol.
#[derive(Debug, Default)]
struct OfProtocol {
    all: Owners,
    by_host: HashMap<Host<'static>, Owners>,
}

/// The objects with some listener: by namespace, those of one namespace in order of precedence.
#[derive(Debug, Default)]
struct Owners(BTreeMap<Box<str>, SmallSet<(ListenerOwnerAge, Arc<ObjectRef>)>>);

impl ListenerIndex {
    /// Adds the listeners of the object at `object_ref`.
    pub fn enter(&mut self, object_ref: &Arc<ObjectRef>, facts: &ListenersFacts) {
        let of_gateway = self.0.entry(facts.gateway().clone()).or_default();
        of_gateway.count += facts.listeners.len();
        for (port, listener) in facts.with_port() {
            let protocols = of_gateway.by_port.entry(port).or_default();
            let of_protocol = protocols.entry_ref(&*listener.protocol).or_default();
            of_protocol.all.enter(facts.owner_age(), object_ref);
            let host = listener.distinct_host().into_owned();
            of_protocol.by_host.entry(host).or_default().enter(facts.owner_age(), object_ref);
        }
    }

    /// Removes the listeners of an object that was added with these facts.
    pub fn leave(&mut self, object_ref: &Arc<ObjectRef>, facts: &ListenersFacts) {
        let Some(of_gateway) = self.0.get_mut(facts.gateway()) else { return };
        of_gateway.count -= facts.listeners.len();
        for (port, listener) in facts.with_port() {
            let Some(protocols) = of_gateway.by_port.get_mut(&port) else { continue };
            let Some(of_protocol) = protocols.get_mut(&*listener.protocol) else { continue };
            of_protocol.all.leave(facts.owner_age(), object_ref);
            let host = listener.distinct_host().into_owned();
            if let Some(owners) = of_protocol.by_host.get_mut(&host) {
                owners.leave(facts.owner_age(), object_ref);
                if owners.0.is_empty() {
                    of_protocol.by_host.remove(&host);
                }
            }
            if of_protocol.all.0.is_empty() {
                protocols.remove(&*listener.protocol);
            }
            if protocols.is_empty() {
                of_gateway.by_port.remove(&port);
            }
        }
        if of_gateway.count == 0 {
            self.0.remove(facts.gateway());
        }
    }

    /// The number of listeners of a Gateway and of its ListenerSets.
    pub fn count(&self, gateway: &ObjectRef) -> usize {
        self.0.get(gateway).map_or(0, |of_gateway| of_gateway.count)
    }

    /// The objects that have a listener of this port and protocol, and of this host if one is given. Of each namespace
    /// only the first one that is wanted is returned, in order of precedence.
    pub fn owners<'i, F: Fn(&ObjectRef) -> bool>(
        &'i self,
        gateway: &ObjectRef,
        (port, protocol, host): (i64, &str, Option<&Host<'_>>),
        is_wanted: F,
    ) -> impl Iterator<Item = &'i ObjectRef> + use<'i, F> {
        let of_gateway = self.0.get(gateway);
        let of_protocol = of_gateway.and_then(|of_gateway| of_gateway.by_port.get(&port)?.get(protocol));
        let owners = of_protocol.and_then(|of_protocol| match host {
            Some(host) => of_protocol.by_host.get(&host.clone().into_owned()),
            None => Some(&of_protocol.all),
        });
        let namespaces = owners.into_iter().flat_map(|owners| owners.0.values());
        namespaces.filter_map(move |own| own.iter().map(|(_, owner)| &**owner).find(|owner| is_wanted(owner)))
    }
}

impl Owners {
    fn enter(&mut self, owner_age: ListenerOwnerAge, object_ref: &Arc<ObjectRef>) {
        let namespace = self.0.entry(object_ref.namespace.as_str().into()).or_default();
        namespace.insert((owner_age, Arc::clone(object_ref)));
    }

    fn leave(&mut self, owner_age: ListenerOwnerAge, object_ref: &Arc<ObjectRef>) {
        let Some(namespace) = self.0.get_mut(object_ref.namespace.as_str()) else { return };
        namespace.remove(&(owner_age, Arc::clone(object_ref)));
        if namespace.is_empty() {
            self.0.remove(object_ref.namespace.as_str());
        }
    }
}
