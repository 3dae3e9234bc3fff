//! The accept loop, from a bound listener until the last connection is closed.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::Router;
use hyper_util::server::graceful::GracefulShutdown;
use rustix::io::Errno;
use socket2::SockRef;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{JoinError, JoinSet};

use super::connection::Connection;
use super::shutdown::{Phase, Shutdown};
use super::slots::ConnectionLimiter;
use super::{Limits, Traffic, Transport};

/// The delay after an accept error that would occur again at once, such as too many open files.
const ACCEPT_BACKOFF: Duration = Duration::from_millis(10);

/// A listener on `address` with the backlog of `limits`.
///
/// The unspecified IPv6 address stands for all addresses, also those of IPv4, and also where the kernel has no IPv6.
pub fn listen(address: SocketAddr, limits: &Limits) -> io::Result<TcpListener> {
    let is_every = address.is_ipv6() && address.ip().is_unspecified();
    match bind(address, limits) {
        Err(error) if is_every && is_without_ipv6(&error) => {
            bind((Ipv4Addr::UNSPECIFIED, address.port()).into(), limits)
        }
        result => result,
    }
}

fn is_without_ipv6(error: &io::Error) -> bool {
    let is = |errno: Errno| error.raw_os_error() == Some(errno.raw_os_error());
    is(Errno::AFNOSUPPORT) || is(Errno::ADDRNOTAVAIL)
}

fn bind(address: SocketAddr, limits: &Limits) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Without this, a restarted server could not bind while connections of its predecessor are in TIME_WAIT.
    socket.set_reuseaddr(true)?;
    if address.is_ipv6() {
        // Some systems have another default.
        SockRef::from(&socket).set_only_v6(!address.ip().is_unspecified())?;
    }
    socket.bind(address)?;
    socket.listen(limits.backlog)
}

/// One listening endpoint: its routes, its transport and its limits.
#[derive(Clone)]
pub struct Server {
    /// The routes that answer requests.
    pub router: Router,
    /// Plain TCP or TLS.
    pub transport: Transport,
    /// The limits on time, memory and connections.
    pub limits: Limits,
    /// The counters of this endpoint.
    pub traffic: Traffic,
}

impl Server {
    /// Serves `listener` until `shutdown` ends it. While it drains, it accepts and serves connections as before,
    /// until none is open or the drain timeout is over. Then it closes idle connections, answers the requests in flight, and
    /// returns when all connections are closed or the grace period is over. Returns how many it closed.
    pub async fn serve(self, listener: TcpListener, shutdown: Shutdown) -> usize {
        let graceful = GracefulShutdown::new();
        let mut connections = JoinSet::new();
        tokio::select! {
            () = self.accept_all(listener, &shutdown, &graceful, &mut connections) => {}
            () = self.drained(&shutdown) => {}
        }
        self.close(&shutdown, graceful, connections).await
    }

    /// Accepts connections. Returns when draining has begun and no connection is open.
    async fn accept_all(
        &self,
        listener: TcpListener,
        shutdown: &Shutdown,
        graceful: &GracefulShutdown,
        connections: &mut JoinSet<()>,
    ) {
        let slots = ConnectionLimiter::new(&self.limits);
        loop {
            let (stream, peer) = tokio::select! {
                // In this order, so that the server does not end while a connection waits to be accepted.
                biased;
                Some(ended) = connections.join_next() => {
                    self.note(ended);
                    continue;
                }
                accepted = self.accept(&listener, &slots) => accepted,
                () = shutdown.reached(Phase::Draining), if connections.is_empty() => return,
            };
            let (slot, eviction) = slots.take(peer.ip().to_canonical()).await;
            let Self { router, transport, limits, traffic } = self.clone();
            let (watcher, shutdown) = (graceful.watcher(), shutdown.clone());
            let connection = Connection { router, transport, limits, traffic, shutdown, watcher };
            self.traffic.open.inc();
            connections.spawn(connection.run(stream, slot, eviction));
        }
    }

    /// Resolves when the drain timeout is over, or draining was skipped.
    async fn drained(&self, shutdown: &Shutdown) {
        shutdown.reached(Phase::Draining).await;
        tokio::select! {
            () = shutdown.reached(Phase::Closing) => {}
            () = tokio::time::sleep(self.limits.drain_timeout) => {}
        }
    }

    /// Closes the open connections, each after the response to its request in flight. Returns their number.
    async fn close(&self, shutdown: &Shutdown, graceful: GracefulShutdown, mut connections: JoinSet<()>) -> usize {
        while let Some(ended) = connections.try_join_next() {
            self.note(ended);
        }
        let open = connections.len();
        if open > 0 {
            tracing::info!(connections = open, "closing connections that clients did not close");
        }
        let ended = async {
            graceful.shutdown().await;
            while let Some(ended) = connections.join_next().await {
                self.note(ended);
            }
        };
        tokio::select! {
            biased;
            () = shutdown.reached(Phase::Aborting) => {}
            () = ended => return open,
            () = tokio::time::sleep(self.limits.grace) => {}
        }
        // Dropping the set aborts the connections that are left in it.
        tracing::warn!(connections = connections.len(), "aborting requests in flight");
        open
    }

    /// Takes in that a connection has ended. If its task panicked, the other connections are not affected.
    fn note(&self, ended: Result<(), JoinError>) {
        self.traffic.open.dec();
        if ended.is_err_and(|error| error.is_panic()) {
            self.traffic.panicked.inc();
        }
    }

    /// Counts an accept error. A flood causes thousands of them, so an error is logged only when their number is a
    /// power of two.
    fn note_failure(&self, error: &io::Error) {
        let failures = self.traffic.not_accepted.inc() + 1;
        if failures.is_power_of_two() {
            tracing::warn!(%error, failures, "cannot accept connections; retrying");
        }
    }

    /// Accepts the next connection and retries after errors. Most errors are due to a lack of file descriptors, which
    /// are as scarce as slots, so each of these errors evicts a connection.
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

/// Whether the error concerns only the connection that was being accepted, so that the next attempt may succeed.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv6Addr};

    use super::*;

    #[tokio::test]
    async fn every_address_is_listened_on() -> io::Result<()> {
        let listener = listen((Ipv6Addr::UNSPECIFIED, 0).into(), &Limits::default())?;
        let port = listener.local_addr()?.port();
        let has_ipv6 = std::net::TcpListener::bind((Ipv6Addr::LOCALHOST, 0)).is_ok();
        let addresses = [IpAddr::from(Ipv4Addr::LOCALHOST), Ipv6Addr::LOCALHOST.into()];
        for address in addresses.into_iter().filter(|address| address.is_ipv4() || has_ipv6) {
            let (_stream, accepted) = tokio::try_join!(TcpStream::connect((address, port)), listener.accept())?;
            assert_eq!(accepted.1.ip().to_canonical(), address);
        }
        Ok(())
    }

    #[test]
    fn a_kernel_without_ipv6_is_told_from_a_port_in_use() {
        let is = |errno: Errno| is_without_ipv6(&errno.into());
        assert!(is(Errno::AFNOSUPPORT) && is(Errno::ADDRNOTAVAIL) && !is(Errno::ADDRINUSE));
    }
}
