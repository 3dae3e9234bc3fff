//! Which listeners of a Gateway and its ListenerSets are served if some cannot share a port: the Gateway takes precedence,
//! then the oldest set. Within one object no listener takes precedence, so all that conflict there lose.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::listener_conflict::{ListenerConflict, Loss, conflict, has_hosts};
use crate::cluster::gateway_facts::{ListenerFacts, ListenersFacts};
use crate::kinds::protocol::can_share_port;
use crate::matching::Host;

/// A listener with the object that contains it.
type Owned<'c> = (&'c ListenerFacts, &'c ListenersFacts);

/// Returns for each of `objects`, given in order of precedence, each of its listeners with the served listener that it
/// conflicts with, or with another one of its object. Listeners that are not `servable` are ignored: they conflict with
/// none. A listener that lost keeps no other from being served.
pub fn resolve<'c>(
    objects: impl IntoIterator<Item = &'c ListenersFacts>,
    servable: impl Fn(&ListenerFacts) -> bool,
) -> Vec<Vec<Loss<'c>>> {
    let mut served = Served::default();
    let losses = objects.into_iter().map(|object| {
        let candidates: Vec<&ListenerFacts> = object.listeners.iter().filter(|listener| servable(listener)).collect();
        let lost: HashMap<&str, Loss<'c>> =
            candidates.iter().map(|listener| (&*listener.name, served.winner(listener))).collect();
        let is_open = |listener: &&ListenerFacts| lost.get(&*listener.name).is_some_and(Option::is_none);
        let open: Vec<&ListenerFacts> = candidates.into_iter().filter(is_open).collect();
        let inside: HashMap<&str, Loss<'c>> =
            open.iter().map(|listener| (&*listener.name, equal(listener, &open, object))).collect();
        for listener in open.iter().filter(|listener| inside.get(&*listener.name).is_some_and(Option::is_none)) {
            served.enter(listener, object);
        }
        let loss = |listener: &ListenerFacts| {
            let name = &*listener.name;
            lost.get(name).copied().flatten().or_else(|| inside.get(name).copied().flatten())
        };
        object.listeners.iter().map(loss).collect()
    });
    losses.collect()
}

/// The first other listener of the same object that conflicts with `own`.
fn equal<'c>(own: &ListenerFacts, others: &[&'c ListenerFacts], object: &'c ListenersFacts) -> Loss<'c> {
    let mut others = others.iter().filter(|other| other.name != own.name);
    others.find_map(|other| Some((conflict(own, other)?, *other, object)))
}

/// The served listeners of one port and one protocol.
#[derive(Debug)]
struct Protocol<'c> {
    first: Owned<'c>,
    by_host: HashMap<Host<'c>, Owned<'c>>,
}

/// The served listeners, by port, protocol and, if the protocol distinguishes hosts, by host.
#[derive(Debug, Default)]
struct Served<'c>(HashMap<i64, BTreeMap<&'c str, Protocol<'c>>>);

impl<'c> Served<'c> {
    fn enter(&mut self, listener: &'c ListenerFacts, object: &'c ListenersFacts) {
        let Some(port) = listener.port else { return };
        let owned = (listener, object);
        let protocols = self.0.entry(port).or_default();
        let new = || Protocol { first: owned, by_host: HashMap::new() };
        protocols.entry(&listener.protocol).or_insert_with(new).by_host.insert(host(listener), owned);
    }

    /// The served listener that conflicts with `listener`.
    fn winner(&self, listener: &ListenerFacts) -> Loss<'c> {
        let protocols = self.0.get(&listener.port?)?;
        protocols.iter().find_map(|(name, protocol)| {
            let same = || (**name == *listener.protocol).then(|| protocol.by_host.get(&host(listener))).flatten();
            let (why, (theirs, object)) = match can_share_port(name, &listener.protocol) {
                false => (ListenerConflict::Protocol, protocol.first),
                true => (ListenerConflict::Hostname, *same()?),
            };
            Some((why, theirs, object))
        })
    }
}

/// The host by which a listener is distinguished from others of its port and protocol.
fn host(listener: &ListenerFacts) -> Host<'_> {
    if has_hosts(&listener.protocol) { listener.host.borrowed() } else { Host::Any }
}
