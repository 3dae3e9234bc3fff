//! Which listeners of a Gateway and its ListenerSets are served if some cannot share a port: the Gateway takes precedence,
//! then the oldest set. Within one object no listener takes precedence, so all that conflict there lose.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use super::listener_conflict::{ListenerConflict, Loss, conflict};
use crate::cluster::gateway_facts::{ListenerFacts, ListenersFacts};
use crate::kinds::protocol::{can_share_port, told_apart_by_host};
use crate::matching::Host;

/// A listener with the object that contains it.
type Owned<'c> = (&'c ListenerFacts, &'c ListenersFacts);

/// Returns for each of `objects`, given in order of precedence, each of its listeners with the served listener that it
/// conflicts with, or with another one of its object. Listeners that are not `servable` are ignored: they conflict with
/// none. A listener that lost to an earlier object keeps no other from being served. Those that conflict inside one object do:
/// of indistinct listeners, none may be served, and a later object does not gain by the conflict of an earlier one.
pub fn resolve<'c>(
    objects: impl IntoIterator<Item = &'c ListenersFacts>,
    servable: impl Fn(&ListenerFacts) -> bool,
) -> Vec<Vec<Loss<'c>>> {
    let mut earlier = Open::default();
    let losses = objects.into_iter().map(|object| {
        let candidates: Vec<&ListenerFacts> = object.listeners.iter().filter(|listener| servable(listener)).collect();
        let lost: HashMap<&str, Loss<'c>> =
            candidates.iter().map(|listener| (&*listener.name, earlier.winner(listener))).collect();
        let is_open = |listener: &&ListenerFacts| lost.get(&*listener.name).is_some_and(Option::is_none);
        let open: Vec<&ListenerFacts> = candidates.into_iter().filter(is_open).collect();
        let inside: HashMap<&str, Loss<'c>> =
            open.iter().map(|listener| (&*listener.name, equal(listener, &open, object))).collect();
        open.iter().for_each(|listener| earlier.enter(listener, object));
        let loss = |listener: &ListenerFacts| {
            let name = &*listener.name;
            lost.get(name).copied().flatten().or_else(|| inside.get(name).copied().flatten())
        };
        object.listeners.iter().map(loss).collect()
    });
    losses.collect()
}

/// Adds the losses of listeners of protocol TLS to those of [`resolve`], for a controller that cannot serve both TLS modes on one
/// port. The same objects take precedence, and in one object all of them lose.
pub fn separate_modes<'c: 'l, 'l>(
    objects: impl IntoIterator<Item = (&'c ListenersFacts, &'l mut Vec<Loss<'c>>)>,
    is_supported: impl Fn(&ListenerFacts) -> bool,
) {
    let mut earlier: HashMap<(i64, bool), Owned<'c>> = HashMap::new();
    for (object, losses) in objects {
        let is_open = |listener: &ListenerFacts| &*listener.protocol == "TLS" && is_supported(listener);
        let mut open: Vec<(i64, &'c ListenerFacts, &mut Loss<'c>)> = Vec::new();
        for (listener, loss) in object.listeners.iter().zip(losses).filter(|(own, loss)| loss.is_none() && is_open(own))
        {
            let Some(port) = listener.port else { continue };
            match earlier.get(&(port, !listener.passthrough)) {
                Some((theirs, winner)) => *loss = Some((ListenerConflict::Protocol, theirs, winner)),
                None => open.push((port, listener, loss)),
            }
        }
        let own: HashMap<(i64, bool), Owned<'c>> =
            open.iter().map(|(port, listener, _)| ((*port, listener.passthrough), (*listener, object))).collect();
        for (port, listener, loss) in open {
            let other = own.get(&(port, !listener.passthrough));
            *loss = other.map(|(theirs, _)| (ListenerConflict::Protocol, *theirs, object));
        }
        for (key, owned) in own {
            earlier.entry(key).or_insert(owned);
        }
    }
}

/// The first other listener of the same object that conflicts with `own`.
fn equal<'c>(own: &ListenerFacts, others: &[&'c ListenerFacts], object: &'c ListenersFacts) -> Loss<'c> {
    let mut others = others.iter().filter(|other| other.name != own.name);
    others.find_map(|other| Some((conflict(own, other)?, *other, object)))
}

/// The listeners of one port and one protocol.
#[derive(Debug)]
struct Protocol<'c> {
    first: Owned<'c>,
    by_host: HashMap<Host<'c>, Owned<'c>>,
}

/// The listeners that did not lose to an earlier object, by port, protocol and, if the protocol distinguishes hosts, by host.
#[derive(Debug, Default)]
struct Open<'c>(HashMap<i64, BTreeMap<&'c str, Protocol<'c>>>);

impl<'c> Open<'c> {
    fn enter(&mut self, listener: &'c ListenerFacts, object: &'c ListenersFacts) {
        let Some(port) = listener.port else { return };
        let owned = (listener, object);
        let protocols = self.0.entry(port).or_default();
        let new = || Protocol { first: owned, by_host: HashMap::new() };
        protocols
            .entry(&listener.protocol)
            .or_insert_with(new)
            .by_host
            .entry(listener.distinct_host())
            .or_insert(owned);
    }

    /// The first of them that conflicts with `listener`.
    fn winner(&self, listener: &ListenerFacts) -> Loss<'c> {
        let protocols = self.0.get(&listener.port?)?;
        protocols.iter().find_map(|(name, protocol)| {
            let same = || protocol.by_host.get(&listener.distinct_host()).copied();
            let (why, (theirs, object)) = match can_share_port(name, &listener.protocol) {
                false => (ListenerConflict::Protocol, protocol.first),
                true if **name == *listener.protocol => (ListenerConflict::Hostname, same()?),
                true if told_apart_by_host(name) == Some(&*listener.protocol) => (ListenerConflict::Protocol, same()?),
                true => return None,
            };
            Some((why, theirs, object))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::facts::Facts;
    use crate::kinds::{Kind, decode};

    /// The objects of a tree, each with listeners of a few ports, protocols and hosts that a counter chooses.
    fn objects(mut seed: usize) -> Vec<ListenersFacts> {
        let mut next = |bound: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % bound
        };
        let object = |index: usize| {
            let listeners: Vec<String> = (0..next(5))
                .map(|listener| {
                    let protocol = ["HTTP", "HTTPS", "TLS", "TCP", "UDP"][next(5)];
                    let host = ["", "a.example", "*.example"][next(3)];
                    let port = 80 + next(2);
                    format!(
                        r#"{{"name": "{listener}", "port": {port}, "protocol": "{protocol}", "hostname": "{host}"}}"#
                    )
                })
                .collect();
            let json = format!(
                r#"{{"metadata": {{"namespace": "n", "name": "{index}"}}, "spec": {{"listeners": [{}]}}}}"#,
                listeners.join(",")
            );
            match Facts::of(&decode(Kind::Gateway, &json).expect("a Gateway")) {
                Facts::Listeners(facts) => facts,
                other => panic!("{other:?}"),
            }
        };
        (0..4).map(object).collect()
    }

    /// The oracle compares each listener with each of those that did not lose to an earlier object.
    #[test]
    fn a_listener_loses_to_those_of_earlier_objects_and_to_its_equals() {
        let (mut lost, mut open_after_loser) = (0, 0);
        for seed in 0..2_000 {
            let objects = objects(seed);
            let losses = resolve(&objects, |_| true);
            let mut earlier: Vec<&ListenerFacts> = Vec::new();
            let mut losers: Vec<&ListenerFacts> = Vec::new();
            for (object, losses) in objects.iter().zip(&losses) {
                let beaten = |own: &ListenerFacts| earlier.iter().any(|other| conflict(own, other).is_some());
                let open: Vec<&ListenerFacts> = object.listeners.iter().filter(|own| !beaten(own)).collect();
                let has_equal = |own: &ListenerFacts| {
                    open.iter().any(|other| other.name != own.name && conflict(own, other).is_some())
                };
                for (own, loss) in object.listeners.iter().zip(losses) {
                    assert_eq!(loss.is_some(), beaten(own) || has_equal(own), "{seed}: {own:?}");
                    if let Some((why, theirs, _)) = loss {
                        assert_eq!(conflict(own, theirs), Some(*why), "{seed}: {own:?}");
                    }
                }
                lost += losses.iter().flatten().count();
                let follows = |own: &&&ListenerFacts| losers.iter().any(|loser| conflict(own, loser).is_some());
                open_after_loser += open.iter().filter(follows).count();
                losers.extend(object.listeners.iter().filter(|own| beaten(own)));
                earlier.extend(open);
            }
        }
        assert!(lost > 100 && open_after_loser > 10, "{lost} {open_after_loser}");
    }
}
