//! Whether two listeners can share a port: whether a request can be told to be for one of them.

use crate::cluster::gateway_facts::ListenerFacts;

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
