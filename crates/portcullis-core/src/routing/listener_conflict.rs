//! Whether two listeners can share a port, which requires that each request can be assigned to one of them, and which
//! of two ListenerSets takes precedence if they cannot.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::cluster::gateway_facts::{ListenerFacts, ListenersFacts};
use crate::kinds::protocol::can_share_port;
use crate::matching::Host;
use crate::matching::host::Depth;

/// Why two listeners cannot both be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenerConflict {
    /// Only the protocol distinguishes them, and connections of these protocols cannot be distinguished
    /// (`ProtocolConflict`).
    Protocol,
    /// They share port, protocol and host (`HostnameConflict`).
    Hostname,
}

/// Why `one` and `other` cannot both be served; `None` if they can.
pub fn conflict(one: &ListenerFacts, other: &ListenerFacts) -> Option<ListenerConflict> {
    if one.port.is_none() || one.port != other.port {
        return None;
    }
    if !can_share_port(&one.protocol, &other.protocol) {
        return Some(ListenerConflict::Protocol);
    }
    let is_same = one.protocol == other.protocol && (!has_hosts(&one.protocol) || one.host == other.host);
    is_same.then_some(ListenerConflict::Hostname)
}

/// Whether hosts distinguish listeners of this protocol.
pub(super) fn has_hosts(protocol: &str) -> bool {
    !matches!(protocol, "TCP" | "UDP")
}

/// Whether the ListenerSet `one` takes precedence over `other`: the older one does, then the first by namespace and
/// name. A set that has not been created yet is younger than all others.
pub fn precedes(one: &ListenersFacts, other: &ListenersFacts) -> bool {
    precedence(one, other).is_lt()
}

/// The order of two ListenerSets, the one that takes precedence first.
pub fn precedence(one: &ListenersFacts, other: &ListenersFacts) -> Ordering {
    let seniority = |facts: &ListenersFacts| (facts.created.is_none(), facts.created);
    seniority(one).cmp(&seniority(other)).then_with(|| object_ref(one).cmp(&object_ref(other)))
}

/// Whether clients may use one TLS connection for hosts of both listeners, because their hosts overlap on one port.
pub fn overlaps(one: &ListenerFacts, other: &ListenerFacts) -> bool {
    let is_tls = |listener: &ListenerFacts| matches!(&*listener.protocol, "HTTPS" | "TLS");
    let is_same_port = one.port.is_some() && one.port == other.port;
    is_same_port && is_tls(one) && is_tls(other) && one.host.meets(&other.host, Depth::AnyLabels)
}

/// Why a listener is not served, with the listener that is served instead and the object that contains it.
pub type Loss<'c> = Option<(ListenerConflict, &'c ListenerFacts, &'c ListenersFacts)>;

/// Returns each listener of `own` with the first listener of `winners` that conflicts with it. A Gateway may have many
/// sets, so each of their listeners is looked at once, and a listener of `own` is not compared again after it has lost.
pub fn listener_conflicts<'s, 'c: 's>(
    own: &'s ListenersFacts,
    winners: impl Iterator<Item = &'c ListenersFacts>,
) -> impl Iterator<Item = (&'s ListenerFacts, Loss<'c>)> {
    let mut listener_conflicts: Vec<Loss<'c>> = vec![None; own.listeners.len()];
    let mut open = Open::default();
    for (index, listener) in own.listeners.iter().enumerate() {
        open.enter(index, listener);
    }
    for (theirs, winner) in winners.flat_map(|winner| winner.listeners.iter().map(move |theirs| (theirs, winner))) {
        open.lose(theirs, |index, why| listener_conflicts[index] = Some((why, theirs, winner)));
    }
    own.listeners.iter().zip(listener_conflicts)
}

/// The listeners that have not lost, by port and protocol and, if the protocol distinguishes hosts, by host.
#[derive(Debug, Default)]
struct Open<'s>(HashMap<i64, BTreeMap<&'s str, HashMap<Host<'s>, Vec<usize>>>>);

impl<'s> Open<'s> {
    fn enter(&mut self, index: usize, listener: &'s ListenerFacts) {
        let Some(port) = listener.port else { return };
        let host = if has_hosts(&listener.protocol) { listener.host.borrowed() } else { Host::Any };
        self.0.entry(port).or_default().entry(&listener.protocol).or_default().entry(host).or_default().push(index);
    }

    /// Removes the listeners that conflict with `theirs` and reports each to `lost`.
    fn lose(&mut self, theirs: &'s ListenerFacts, mut lost: impl FnMut(usize, ListenerConflict)) {
        let Some(protocols) = theirs.port.and_then(|port| self.0.get_mut(&port)) else { return };
        let mut lose = |indexes: Vec<usize>, why| indexes.into_iter().for_each(|index| lost(index, why));
        for (protocol, hosts) in protocols.iter_mut() {
            if !can_share_port(protocol, &theirs.protocol) {
                hosts.drain().for_each(|(_, indexes)| lose(indexes, ListenerConflict::Protocol));
            } else if **protocol == *theirs.protocol {
                let host = if has_hosts(protocol) { theirs.host.borrowed() } else { Host::Any };
                lose(hosts.remove(&host).unwrap_or_default(), ListenerConflict::Hostname);
            }
        }
        protocols.retain(|_, hosts| !hosts.is_empty());
    }
}

fn object_ref(facts: &ListenersFacts) -> (&str, &str) {
    (&facts.object_ref.namespace, &facts.object_ref.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::gateway_facts::AllowedNamespaces;
    use crate::kinds::{Kind, ObjectRef};

    fn listener(port: i64, protocol: &str, host: &'static str) -> ListenerFacts {
        let (name, protocol) = (Box::from(""), Box::from(protocol));
        let (host, kinds) = (Host::parse(host), Box::default());
        ListenerFacts {
            name,
            host,
            port: Some(port),
            protocol,
            passthrough: false,
            from: AllowedNamespaces::Same,
            kinds,
            error: None,
        }
    }

    #[test]
    fn two_listeners_conflict_both_ways_or_not_at_all() {
        let cases = [
            (listener(80, "HTTP", ""), listener(80, "HTTP", ""), Some(ListenerConflict::Hostname)),
            (listener(80, "HTTP", "a.example"), listener(80, "HTTP", "A.example."), Some(ListenerConflict::Hostname)),
            (listener(80, "HTTP", "a.example"), listener(80, "HTTP", "b.example"), None),
            (listener(80, "HTTP", ""), listener(81, "HTTP", ""), None),
            (listener(443, "HTTPS", ""), listener(443, "HTTP", "a.example"), Some(ListenerConflict::Protocol)),
            (listener(443, "HTTPS", "a.example"), listener(443, "TLS", "b.example"), None),
            (listener(443, "TCP", ""), listener(443, "TLS", "b.example"), Some(ListenerConflict::Protocol)),
            (listener(53, "TCP", ""), listener(53, "UDP", ""), None),
            (listener(53, "UDP", ""), listener(53, "UDP", "a.example"), Some(ListenerConflict::Hostname)),
            (listener(80, "example.com/quic", ""), listener(80, "HTTP", ""), None),
        ];
        for (one, other, expected) in cases {
            assert_eq!(conflict(&one, &other), expected, "{one:?} {other:?}");
            assert_eq!(conflict(&other, &one), expected, "{other:?} {one:?}");
        }
    }

    /// The oracle compares each listener with each of the others.
    #[test]
    fn a_listener_loses_to_the_first_that_conflicts_with_it() {
        let protocols = ["HTTP", "HTTPS", "TLS", "TCP", "UDP", "example.com/quic"];
        let hosts = ["", "a.example", "*.example", "A.example."];
        let of = |ports: std::ops::Range<i64>, name: &str| {
            let all = ports.flat_map(|port| protocols.map(|protocol| hosts.map(|host| listener(port, protocol, host))));
            ListenersFacts { listeners: all.flatten().collect(), ..set(name, None) }
        };
        let (own, winners) = (of(1..4, "own"), [of(3..5, "a"), of(2..4, "b")]);
        for shift in 0..5 {
            let mut winners = winners.clone();
            winners[0].listeners = winners[0].listeners.iter().skip(7 * shift).step_by(shift + 1).cloned().collect();
            let theirs =
                || winners.iter().flat_map(|winner| winner.listeners.iter().map(move |theirs| (theirs, winner)));
            let expected = own
                .listeners
                .iter()
                .map(|own| theirs().find_map(|(theirs, winner)| Some((conflict(own, theirs)?, theirs, winner))));
            let found: Vec<_> = listener_conflicts(&own, winners.iter()).map(|(_, loss)| loss).collect();
            assert_eq!(found, expected.collect::<Vec<_>>());
            assert!(found.iter().any(Option::is_some) && found.iter().any(Option::is_none));
        }
    }

    fn set(namespace: &str, created: Option<&str>) -> ListenersFacts {
        ListenersFacts {
            object_ref: ObjectRef::new(Kind::ListenerSet, namespace, "set"),
            class: Box::default(),
            parent: None,
            listeners: Box::default(),
            allowed_listeners: AllowedNamespaces::None,
            is_default: false,
            error: None,
            settings: None,
            created: created.map(|time| time.parse().expect("a timestamp")),
        }
    }

    #[test]
    fn the_older_set_wins_then_the_one_whose_place_comes_first() {
        let (old, young) = (Some("2026-01-01T00:00:00Z"), Some("2026-01-02T00:00:00Z"));
        let ranked = [set("z", old), set("a", young), set("b", young), set("a", None), set("b", None)];
        for (left, one) in ranked.iter().enumerate() {
            for (right, other) in ranked.iter().enumerate() {
                assert_eq!(precedes(one, other), left < right, "{left} {right}");
            }
        }
    }
}
