//! All limits of the server in one place, each with its reason.

use std::time::Duration;

/// The usual value of [`Limits::drain_timeout`].
pub const DRAIN_TIMEOUT: Duration = Duration::from_secs(25);

/// The limits on the time, memory and connections that peers may use.
#[derive(Debug, Clone)]
pub struct Limits {
    /// The maximum number of open connections. An API server pools 25 for a webhook, and a cluster has a handful of API
    /// servers: 1,024 is ample for them and far below the usual limit of file descriptors.
    pub connections: usize,
    /// The time after which a handshake, a request or a response counts as slow. Then its connection may be closed for
    /// a newer one, or its body dropped for another, if there is not enough space for both. Complete reviews arrive
    /// within milliseconds. While there is enough space, only the following deadlines apply to a slow peer.
    pub slow_after: Duration,
    /// The number of connections that the kernel queues until they are accepted. Once the queue is full, the first
    /// packet of a peer is dropped and repeated after a second, so a burst of unknown clients would delay the API
    /// server by that second. The usual 128 is too low.
    pub backlog: u32,
    /// The time from accepting a connection to the end of its TLS handshake. A handshake takes 2 round trips. Neither
    /// tokio-rustls nor hyper ends a stalled handshake.
    pub handshake_timeout: Duration,
    /// The time from the end of the handshake to the first byte of the first request. A client that opens a connection
    /// has a request to send.
    pub first_byte_timeout: Duration,
    /// The time from the first byte of a request to the end of its head. A head fits into one packet.
    pub header_timeout: Duration,
    /// The time from a response to the first byte of the next request. The API server keeps idle connections for 90 s
    /// and does not repeat a POST that meets a closing connection, so the server must wait longer than that.
    pub idle_timeout: Duration,
    /// The maximum time in which a peer accepts no byte of a response.
    pub write_timeout: Duration,
    /// The maximum size of a request line with its headers, in bytes. The API server sends well under 2 KiB.
    pub head_bytes: usize,
    /// The maximum number of headers of a request. The API server sends fewer than ten.
    pub headers: usize,
    /// The read buffer of one connection in bytes, which bounds the memory of a thousand connections.
    pub read_buffer: usize,
    /// The maximum size of a body in bytes. A review of an update contains two objects. The API server accepts 3 MiB of
    /// JSON. In its shorter protobuf form an object may be as large as etcd allows, 1.5 MiB: an Ingress with 48,000
    /// paths has 1.3 MB in that form and 4.2 MiB as JSON, so the review of its update has 8.3 MiB.
    ///
    /// The body that used the most additional memory was an update of an HTTPProxy with 100,000 empty conditions: 86
    /// MiB for 0.6 MiB. The largest body, an update of an Ingress with 184,000 paths and 15.7 MiB, used 71 MiB.
    pub body: usize,
    /// The time from the first wait for a body to its last byte. The timeout of a webhook is 10 s by default, so no
    /// client waits longer.
    pub body_deadline: Duration,
    /// The maximum number of bytes of all bodies in memory. A body that does not fit is rejected with a request to
    /// retry, before memory is exhausted.
    pub in_flight: usize,
    /// How long a closed connection is still read from, so that unread bytes do not reset it before the peer has read
    /// the last response.
    pub linger: Duration,
    /// The time from SIGTERM until idle connections are closed. Before that, each response has `Connection: close`, and
    /// the client closes the connection.
    pub drain_timeout: Duration,
    /// The time from the end of draining until requests in flight are aborted: the deadline of a body. Together
    /// with the 5 s that the pod waits before SIGTERM it fits into the 45 s after which the pod is killed.
    pub grace: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 1024,
            slow_after: Duration::from_secs(1),
            backlog: 4096,
            handshake_timeout: Duration::from_secs(5),
            first_byte_timeout: Duration::from_secs(10),
            header_timeout: Duration::from_secs(5),
            idle_timeout: Duration::from_secs(125),
            write_timeout: Duration::from_secs(10),
            head_bytes: 16 << 10,
            headers: 64,
            read_buffer: 64 << 10,
            body: 16 << 20,
            body_deadline: Duration::from_secs(10),
            in_flight: 64 << 20,
            linger: Duration::from_secs(1),
            drain_timeout: DRAIN_TIMEOUT,
            grace: Duration::from_secs(10),
        }
    }
}
