//! Counters of connections, which the handlers do not see.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::registry::Registry;

/// The counters of one server. Clones share the same counters.
#[derive(Debug, Clone, Default)]
pub struct Traffic {
    /// Accepted connections.
    pub accepted: Counter,
    /// Failures to accept a connection, such as too many open files.
    pub not_accepted: Counter,
    /// Connections closed to make room for a newer one: idle, without a request, or with one that did not arrive in
    /// time.
    pub evicted: Counter,
    /// TLS handshakes that failed or took too long.
    pub handshakes_failed: Counter,
    /// Connections closed because the client was too slow, after the handshake.
    pub timed_out: Counter,
    /// Connections ended by a panic.
    pub panicked: Counter,
    /// Connections that were still open at the end of the farewell, and that the server closed.
    pub cut: Counter,
}

impl Traffic {
    /// Adds the counters to `registry`, whose prefix names the server.
    pub fn register(&self, registry: &mut Registry) {
        let rows = [
            ("connections_accepted", "Connections accepted", &self.accepted),
            ("connections_not_accepted", "Failures to accept a connection", &self.not_accepted),
            ("connections_evicted", "Connections closed to make room for a newer one", &self.evicted),
            ("handshakes_failed", "TLS handshakes that failed or took too long", &self.handshakes_failed),
            ("connections_panicked", "Connections ended by a panic", &self.panicked),
            ("connections_cut", "Connections closed because they were open at the end of --farewell", &self.cut),
            ("connections_timed_out", "Connections closed because the client was too slow", &self.timed_out),
        ];
        for (name, help, counter) in rows {
            registry.register(name, help, counter.clone());
        }
    }
}
