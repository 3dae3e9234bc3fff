//! Every number of the door in one place, each with its reason.

use std::time::Duration;

/// What a peer may take of our time, memory and sockets.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Open connections. An API server pools 25 for a webhook, and a cluster has a handful of API servers: 1,024 is ample
    /// for them and far below the usual limit of file descriptors.
    pub connections: usize,
    /// From the begin of a handshake, a request or an answer until its connection may be closed for a newer one, or its
    /// body dropped for another, where there is no room for both. Complete reviews arrive within milliseconds. What is
    /// slow and disturbs nobody has the deadlines below.
    pub slow: Duration,
    /// Connections that the kernel holds until we accept them. Beyond it a peer's first packet is dropped and repeated
    /// after a second, so that a burst of strangers would cost the API server that second; the usual 128 is too few.
    pub backlog: u32,
    /// From accepted to the end of the TLS handshake. One takes 2 round trips; neither tokio-rustls nor hyper ends a
    /// handshake that stands still.
    pub handshake: Duration,
    /// From the end of the handshake to the first byte of the first request. A client that opens a connection has
    /// something to say.
    pub silent: Duration,
    /// From the first byte of a request to the end of its head. A head fits one packet.
    pub head: Duration,
    /// From an answer to the first byte of the next request. The API server keeps idle connections for 90 s and does not
    /// repeat a POST that met a closing one, so the server must be the one that waits longer.
    pub idle: Duration,
    /// How long a peer may take nothing of an answer that we want to write.
    pub stalled: Duration,
    /// Bytes of a request line with its headers. The API server sends well under 2 KiB.
    pub head_bytes: usize,
    /// Headers of a request. The API server sends fewer than ten.
    pub headers: usize,
    /// Bytes that one connection buffers ahead of its reader: bounds what a thousand connections cost.
    pub read_buffer: usize,
    /// Bytes of a body. A review of an update carries two objects. The API server takes 3 MiB of JSON, and of its own
    /// shorter form what etcd stores, 1.5 MiB: an Ingress of 48,000 paths is 1.3 MB so and 4.2 MiB as JSON, twice 8.3 MiB.
    /// The most that the process took for one accepted body was 86 MiB beside its own: an HTTPProxy of 100,000 empty
    /// conditions (0.6 MiB, update). The largest body, an Ingress update of 15.7 MiB with 184,000 paths, took 71 MiB.
    pub body: usize,
    /// From the first wait for a body to its last byte. Webhook timeouts are 10 s by default, so nobody waits longer.
    pub body_deadline: Duration,
    /// Bytes of all bodies held at once. What does not fit is asked to come back, before it can exhaust memory.
    pub in_flight: usize,
    /// How long we go on reading from a connection that we have closed, so that unread bytes do not reset it before the
    /// peer has read our last answer.
    pub linger: Duration,
    /// From the wish to stop to the end, whatever is still open. The pod's own grace is 30 s by default.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            slow: Duration::from_secs(1),
            backlog: 4096,
            handshake: Duration::from_secs(5),
            silent: Duration::from_secs(10),
            head: Duration::from_secs(5),
            idle: Duration::from_secs(125),
            stalled: Duration::from_secs(10),
            head_bytes: 16 << 10,
            headers: 64,
            read_buffer: 64 << 10,
            body: 16 << 20,
            body_deadline: Duration::from_secs(10),
            in_flight: 64 << 20,
            linger: Duration::from_secs(1),
            grace: Duration::from_secs(25),
        }
    }
}
