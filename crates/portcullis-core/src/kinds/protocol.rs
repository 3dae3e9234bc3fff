//! The protocols of listeners.

use super::Kind;

/// The protocols of the Gateway API.
pub const PROTOCOLS: [&str; 5] = ["HTTP", "HTTPS", "TLS", "TCP", "UDP"];

/// Whether the Gateway API defines the protocol, which Portcullis then supports.
pub fn is_supported(protocol: &str) -> bool {
    PROTOCOLS.contains(&protocol)
}

/// The first data that a client sends on a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Opening {
    /// A request in clear text.
    Clear,
    /// A TLS handshake.
    Handshake,
    /// Any data.
    Stream,
}

fn opening(protocol: &str) -> Option<Opening> {
    match protocol {
        "HTTP" => Some(Opening::Clear),
        "HTTPS" | "TLS" => Some(Opening::Handshake),
        "TCP" => Some(Opening::Stream),
        // Datagrams have separate ports, and only the implementation knows its own protocols.
        _ => None,
    }
}

/// Whether listeners with these two protocols can share a port.
pub fn can_share_port(one: &str, other: &str) -> bool {
    match (opening(one), opening(other)) {
        (Some(one), Some(other)) => one == other,
        _ => true,
    }
}

/// The other protocol that shares ports with `protocol` if the hostnames differ: both begin with a TLS handshake, of which only
/// the server name is known.
pub fn told_apart_by_host(protocol: &str) -> Option<&'static str> {
    match protocol {
        "HTTPS" => Some("TLS"),
        "TLS" => Some("HTTPS"),
        _ => None,
    }
}

/// Whether routes of `kind` are compatible with a listener of a protocol that passes TLS through, or does not; `None` for a
/// protocol defined by the implementation.
pub fn suits(protocol: &str, is_passthrough: bool, kind: Kind) -> Option<bool> {
    match fits_protocol(protocol, kind) {
        // Without terminating TLS, a listener can only choose by the name in the handshake, which a TCPRoute does not have.
        Some(true) if is_passthrough && kind == Kind::TcpRoute => Some(false),
        fits => fits,
    }
}

/// Whether routes of `kind` are compatible with a protocol; `None` for a protocol defined by the implementation.
pub fn fits_protocol(protocol: &str, kind: Kind) -> Option<bool> {
    match protocol {
        "HTTP" | "HTTPS" => Some(matches!(kind, Kind::HttpRoute | Kind::GrpcRoute)),
        "TLS" => Some(matches!(kind, Kind::TlsRoute | Kind::TcpRoute)),
        "TCP" => Some(kind == Kind::TcpRoute),
        "UDP" => Some(kind == Kind::UdpRoute),
        _ => None,
    }
}
