//! The metrics of connections, which the handlers do not see.

use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

/// The metrics of one server. Clones share them.
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
    /// Connections that are open now.
    pub open: Gauge,
}

impl Traffic {
    /// Adds the metrics to `registry`, whose prefix names the server.
    pub fn register(&self, registry: &mut Registry) {
        let rows = [
            ("connections_accepted", "Connections accepted", &self.accepted),
            ("connections_not_accepted", "Failures to accept a connection", &self.not_accepted),
            ("connections_evicted", "Connections closed to make room for a newer one", &self.evicted),
            ("handshakes_failed", "TLS handshakes that failed or took too long", &self.handshakes_failed),
            ("connections_panicked", "Connections ended by a panic", &self.panicked),
            ("connections_timed_out", "Connections closed because the client was too slow", &self.timed_out),
        ];
        for (name, help, counter) in rows {
            registry.register(name, help, counter.clone());
        }
        registry.register(
            "connections_open",
            "Open connections; after SIGTERM, those that clients have not closed yet",
            self.open.clone(),
        );
    }
}
