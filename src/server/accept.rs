//! The accept loop: from a bound listener to the last connection closed.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{JoinError, JoinSet};

use super::connection::Connection;
use super::slots::ConnectionLimiter;
use super::{Limits, Traffic, Transport};

/// How long to wait after a failure to accept that the next attempt would only repeat, such as too many open files.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(10);

/// A listener on `address` with the backlog of `limits`.
pub fn listen(address: SocketAddr, limits: &Limits) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // A restarted server must not wait for the connections of the one before it.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(limits.backlog)
}

/// One door: what it answers, over what, within which limits.
#[derive(Clone)]
pub struct Server {
    /// What answers.
    pub router: Router,
    /// What the bytes travel in.
    pub transport: Transport,
    /// What a peer may take of us.
    pub limits: Limits,
    /// Where it is counted.
    pub traffic: Traffic,
}

impl Server {
    /// Serves `listener` until `stop` resolves; then accepts no more, closes what idles, answers what is in flight, and
    /// returns when all is closed or the grace is over.
    pub async fn serve(self, listener: TcpListener, stop: impl Future<Output = ()>) {
        let graceful = GracefulShutdown::new();
        // Dropped at the end of this function, it aborts what outlived the grace.
        let mut connections = JoinSet::new();
        tokio::select! {
            () = self.accept_all(listener, &graceful, &mut connections) => {}
            () = stop => {}
        }
        let end = async {
            graceful.shutdown().await;
            while let Some(ended) = connections.join_next().await {
                self.note(ended);
            }
        };
        if tokio::time::timeout(self.limits.grace, end).await.is_err() {
            tracing::warn!(grace = ?self.limits.grace, "grace period ended with connections still active; closing them");
        }
    }

    async fn accept_all(&self, listener: TcpListener, graceful: &GracefulShutdown, connections: &mut JoinSet<()>) {
        let slots = ConnectionLimiter::new(&self.limits);
        loop {
            let (stream, peer) = tokio::select! {
                accepted = self.accept(&listener, &slots) => accepted,
                Some(ended) = connections.join_next() => {
                    self.note(ended);
                    continue;
                }
            };
            let (slot, eviction) = slots.take(peer.ip()).await;
            let Self { router, transport, limits, traffic } = self.clone();
            let connection = Connection { router, transport, limits, traffic, watcher: graceful.watcher() };
            connections.spawn(connection.run(stream, slot, eviction));
        }
    }

    /// Counts a connection that a panic has ended: whatever it was, the others go on.
    fn note(&self, ended: Result<(), JoinError>) {
        if ended.is_err_and(|error| error.is_panic()) {
            self.traffic.panicked.inc();
        }
    }

    /// Counts a failure to accept. A flood brings thousands, so that only every doubling is logged.
    fn note_failure(&self, error: &io::Error) {
        let failures = self.traffic.not_accepted.inc() + 1;
        if failures.is_power_of_two() {
            tracing::warn!(%error, failures, "cannot accept connections; retrying");
        }
    }

    /// The next connection, however often accepting fails before it. It mostly fails for want of file descriptors, which
    /// are as scarce as slots, so that the connection that can best be spared is closed.
    async fn accept(&self, listener: &TcpListener, slots: &ConnectionLimiter) -> (TcpStream, SocketAddr) {
        loop {
            match listener.accept().await {
                Ok(accepted) => {
                    self.traffic.accepted.inc();
                    return accepted;
                }
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    self.note_failure(&error);
                    slots.evict();
                    tokio::time::sleep(ACCEPT_BACKOFF).await;
                }
            }
        }
    }
}

/// Whether the failure is of the connection that was about to be accepted, so that the next may well succeed.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}
