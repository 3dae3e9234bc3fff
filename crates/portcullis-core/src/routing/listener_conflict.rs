//! Whether two listeners can share a port, which requires that each request can be assigned to one of them, and which
//! objects win if they cannot.

use crate::cluster::Overlay;
use crate::cluster::gateway_facts::{ListenerFacts, ListenersFacts};
use crate::kinds::protocol::{PROTOCOLS, can_share_port, told_apart_by_host};
use crate::matching::host::Depth;

/// Why two listeners cannot both be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListenerConflict {
    /// Only the protocol distinguishes them, on the port or for the host, and connections of these protocols cannot be
    /// distinguished (`ProtocolConflict`).
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
    if one.distinct_host() != other.distinct_host() {
        return None;
    }
    if one.protocol == other.protocol {
        return Some(ListenerConflict::Hostname);
    }
    (told_apart_by_host(&one.protocol) == Some(&*other.protocol)).then_some(ListenerConflict::Protocol)
}

/// Whether clients may use one TLS connection for hosts of both listeners, because their hosts overlap on one port.
pub fn overlaps(one: &ListenerFacts, other: &ListenerFacts) -> bool {
    let is_tls = |listener: &ListenerFacts| matches!(&*listener.protocol, "HTTPS" | "TLS");
    let is_same_port = one.port.is_some() && one.port == other.port;
    is_same_port && is_tls(one) && is_tls(other) && one.host.overlaps(&other.host, Depth::AnyLabels)
}

/// Why a listener is not served, with the listener that is served instead and the object that contains it.
pub type Loss<'c> = Option<(ListenerConflict, &'c ListenerFacts, &'c ListenersFacts)>;

/// Finds the objects with precedence over `own` that have a listener which conflicts with `listener` of it: for each
/// namespace one, with the reason and with the protocol of its listener.
pub fn winners<'c, 's>(
    listener: &'s ListenerFacts,
    own: &'s ListenersFacts,
    cluster: &'s Overlay<'c>,
) -> impl Iterator<Item = (ListenerConflict, &'s str, &'c ListenersFacts)> {
    rivals(listener, own, cluster).filter(|(.., other)| other.precedence(own).is_lt())
}

/// Finds the objects over which `own` takes precedence and that have a listener which conflicts with `listener` of it, as
/// [`winners`] does; none if there is a winner, which takes precedence over them, too.
pub fn losers<'c, 's>(
    listener: &'s ListenerFacts,
    own: &'s ListenersFacts,
    cluster: &'s Overlay<'c>,
) -> impl Iterator<Item = (ListenerConflict, &'s str, &'c ListenersFacts)> {
    let all: Vec<_> = rivals(listener, own, cluster).collect();
    let is_served = all.iter().all(|(.., other)| other.precedence(own).is_gt());
    is_served.then_some(all).into_iter().flatten()
}

/// The other objects that have a listener which conflicts with `listener` of `own`: of each namespace the first one.
fn rivals<'c, 's>(
    listener: &'s ListenerFacts,
    own: &'s ListenersFacts,
    cluster: &'s Overlay<'c>,
) -> impl Iterator<Item = (ListenerConflict, &'s str, &'c ListenersFacts)> {
    let protocols = PROTOCOLS.into_iter().filter(|protocol| !can_share_port(protocol, &listener.protocol));
    let others = protocols.map(|protocol| (ListenerConflict::Protocol, protocol, None));
    let same = (ListenerConflict::Hostname, &*listener.protocol, Some(listener.distinct_host()));
    let other = told_apart_by_host(&listener.protocol);
    let sibling = other.map(|protocol| (ListenerConflict::Protocol, protocol, Some(listener.distinct_host())));
    let claims = listener.port.into_iter().flat_map(move |port| {
        let all = others.clone().chain([same.clone()]).chain(sibling.clone());
        all.map(move |(conflict, protocol, host)| (port, conflict, protocol, host))
    });
    claims.flat_map(move |(port, conflict, protocol, host)| {
        let owners = cluster.listener_owners(own.gateway(), (port, protocol, host.as_ref()));
        owners.into_iter().map(move |owner| (conflict, protocol, owner))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::gateway_facts::AllowedNamespaces;
    use crate::matching::Host;

    fn listener(port: i64, protocol: &str, host: &'static str) -> ListenerFacts {
        let (name, protocol) = (Box::from(""), Box::from(protocol));
        let (host, kinds) = (Host::parse(host), Box::default());
        ListenerFacts {
            name,
            host,
            port: Some(port),
            protocol,
            passthrough: false,
            lacks_tls: false,
            certificates: Box::default(),
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
            (listener(443, "HTTPS", "a.example"), listener(443, "TLS", "a.example"), Some(ListenerConflict::Protocol)),
            (listener(443, "HTTPS", ""), listener(443, "TLS", ""), Some(ListenerConflict::Protocol)),
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
}
