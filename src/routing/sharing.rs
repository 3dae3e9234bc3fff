//! Whether two listeners can share a port: whether a request can be told to be for one of them, and which of two ListenerSets has it where
//! it cannot.

use std::collections::BTreeMap;

use crate::cluster::gateway_facts::{ListenerFacts, ListenersFacts};

/// Why two listeners cannot both be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conflict {
    /// Nothing but the protocol tells them apart, and it cannot (`ProtocolConflict`).
    Protocol,
    /// They share port, protocol and host (`HostnameConflict`).
    Hostname,
}

/// What a client sends first on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// A request in clear text.
    Clear,
    /// A TLS handshake.
    Handshake,
    /// Anything.
    Stream,
}

fn opening(protocol: &str) -> Option<Opening> {
    match protocol {
        "HTTP" => Some(Opening::Clear),
        "HTTPS" | "TLS" => Some(Opening::Handshake),
        "TCP" => Some(Opening::Stream),
        // Datagrams have ports of their own, and what an implementation's own protocol is only it knows.
        _ => None,
    }
}

/// Whether listeners of these two protocols can share a port.
pub fn can_share_port(one: &str, other: &str) -> bool {
    match (opening(one), opening(other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

/// Why `one` and `other` cannot both be served, if they cannot.
pub fn conflict(one: &ListenerFacts, other: &ListenerFacts) -> Option<Conflict> {
    if one.port.is_none() || one.port != other.port {
        return None;
    }
    if !can_share_port(&one.protocol, &other.protocol) {
        return Some(Conflict::Protocol);
    }
    let has_hosts = !matches!(&*one.protocol, "TCP" | "UDP");
    let is_same = one.protocol == other.protocol && (!has_hosts || one.host == other.host);
    is_same.then_some(Conflict::Hostname)
}

/// Whether the ListenerSet `one` wins against `other` where both want the same: the older one, then by namespace and name. One that is not
/// created yet is younger than all that are.
pub fn precedes(one: &ListenersFacts, other: &ListenersFacts) -> bool {
    let seniority = |facts: &ListenersFacts| (facts.created.is_none(), facts.created);
    seniority(one).cmp(&seniority(other)).then_with(|| place(one).cmp(&place(other))).is_lt()
}

/// Why a listener is not served, with the one that is and the object that holds it.
pub type Loss<'c> = Option<(Conflict, &'c ListenerFacts, &'c ListenersFacts)>;

/// Each listener of `own` with the first of the winners' listeners that it loses to. A Gateway may have many sets, so each of their listeners
/// is looked at only once.
pub fn losses<'s, 'c>(
    own: &'s ListenersFacts,
    winners: impl Iterator<Item = &'c ListenersFacts>,
) -> impl Iterator<Item = (&'s ListenerFacts, Loss<'c>)> {
    let mut losses: Vec<Loss<'c>> = vec![None; own.listeners.len()];
    let mut by_port: BTreeMap<i64, Vec<usize>> = BTreeMap::new();
    for (index, listener) in own.listeners.iter().enumerate() {
        by_port.entry(listener.port.unwrap_or_default()).or_default().push(index);
    }
    for (theirs, winner) in winners.flat_map(|winner| winner.listeners.iter().map(move |theirs| (theirs, winner))) {
        for index in by_port.get(&theirs.port.unwrap_or_default()).into_iter().flatten() {
            let why = || conflict(&own.listeners[*index], theirs);
            losses[*index] = losses[*index].or_else(|| Some((why()?, theirs, winner)));
        }
    }
    own.listeners.iter().zip(losses)
}

fn place(facts: &ListenersFacts) -> (&str, &str) {
    (&facts.place.namespace, &facts.place.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::gateway_facts::From;
    use crate::kinds::{Kind, ObjectRef};
    use crate::matching::Host;

    fn listener(port: i64, protocol: &str, host: &'static str) -> ListenerFacts {
        let (name, protocol) = (Box::from(""), Box::from(protocol));
        let (host, kinds) = (Host::parse(host), Box::default());
        ListenerFacts { name, host, port: Some(port), protocol, passthrough: false, from: From::Same, kinds }
    }

    #[test]
    fn two_listeners_conflict_both_ways_or_not_at_all() {
        let cases = [
            (listener(80, "HTTP", ""), listener(80, "HTTP", ""), Some(Conflict::Hostname)),
            (listener(80, "HTTP", "a.example"), listener(80, "HTTP", "A.example."), Some(Conflict::Hostname)),
            (listener(80, "HTTP", "a.example"), listener(80, "HTTP", "b.example"), None),
            (listener(80, "HTTP", ""), listener(81, "HTTP", ""), None),
            (listener(443, "HTTPS", ""), listener(443, "HTTP", "a.example"), Some(Conflict::Protocol)),
            (listener(443, "HTTPS", "a.example"), listener(443, "TLS", "b.example"), None),
            (listener(443, "TCP", ""), listener(443, "TLS", "b.example"), Some(Conflict::Protocol)),
            (listener(53, "TCP", ""), listener(53, "UDP", ""), None),
            (listener(53, "UDP", ""), listener(53, "UDP", "a.example"), Some(Conflict::Hostname)),
            (listener(80, "example.com/quic", ""), listener(80, "HTTP", ""), None),
        ];
        for (one, other, expected) in cases {
            assert_eq!(conflict(&one, &other), expected, "{one:?} {other:?}");
            assert_eq!(conflict(&other, &one), expected, "{other:?} {one:?}");
        }
    }

    #[test]
    fn the_older_set_wins_then_the_one_whose_place_comes_first() {
        let set = |namespace: &str, created: Option<&str>| ListenersFacts {
            place: ObjectRef::new(Kind::ListenerSet, namespace, "set"),
            class: Box::default(),
            parent: None,
            listeners: Box::default(),
            allowed_listeners: From::None,
            created: created.map(|time| time.parse().expect("a timestamp")),
        };
        let (old, young) = (Some("2026-01-01T00:00:00Z"), Some("2026-01-02T00:00:00Z"));
        let ranked = [set("z", old), set("a", young), set("b", young), set("a", None), set("b", None)];
        for (left, one) in ranked.iter().enumerate() {
            for (right, other) in ranked.iter().enumerate() {
                assert_eq!(precedes(one, other), left < right, "{left} {right}");
            }
        }
    }
}
