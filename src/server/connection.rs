//! One connection, from its handshake to its end.

use std::sync::Arc;

use axum::Router;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{HttpService, Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::Watcher;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::clock::Clock;
use super::places::{Eviction, Place};
use super::timed::Timed;
use super::{Limits, Traffic, Transport};

/// What a connection is served with.
pub(super) struct Connection {
    pub(super) router: Router,
    pub(super) transport: Transport,
    pub(super) limits: Limits,
    pub(super) traffic: Traffic,
    /// Tells it to end after the request that it is in the middle of.
    pub(super) watcher: Watcher,
}

impl Connection {
    /// Serves the connection until it ends, or until its place is wanted.
    pub(super) async fn run(self, stream: TcpStream, place: Place, eviction: Eviction) {
        let evicted = self.traffic.evicted.clone();
        tokio::select! {
            // Who is told to go begins no request any more.
            biased;
            () = eviction.wanted() => { evicted.inc(); }
            () = self.open(stream, place) => {}
        }
    }

    async fn open(self, stream: TcpStream, place: Place) {
        // Answers are written whole: waiting to fill a packet would only delay them. A socket that refuses is closing.
        let _ = stream.set_nodelay(true);
        match self.transport.clone() {
            Transport::Plain => self.converse(stream, place).await,
            Transport::Tls(acceptor) => match self.handshake(acceptor, stream).await {
                Some(stream) => self.converse(stream, place).await,
                None => {
                    self.traffic.handshakes_failed.inc();
                }
            },
        }
    }

    async fn handshake(&self, acceptor: TlsAcceptor, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        match timeout(self.limits.handshake, acceptor.accept(stream)).await {
            Ok(Ok(stream)) => Some(stream),
            Ok(Err(error)) => {
                tracing::debug!(%error, "TLS handshake failed");
                None
            }
            Err(_) => {
                tracing::debug!("TLS handshake took too long");
                None
            }
        }
    }

    async fn converse<S>(self, stream: S, place: Place)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let clock = Arc::new(Clock::new(&self.limits, place, Instant::now()));
        let stream = TokioIo::new(Timed::new(stream, clock.clone(), &self.limits, &self.traffic));
        let connection = http(&self.limits).serve_connection(stream, tell(clock, self.router));
        if let Err(error) = self.watcher.watch(connection).await {
            tracing::debug!(%error, "connection ended");
        }
    }
}

/// The HTTP/1.1 parser within our limits. Its own timeout is off: it cannot tell an idle connection from a slow head,
/// and [`Timed`] ends both.
fn http(limits: &Limits) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_headers(limits.headers)
        .max_header_size(limits.head_bytes)
        .max_buf_size(limits.read_buffer);
    http
}

/// `router`, telling the clock when a head is complete and when its answer is ready.
fn tell(
    clock: Arc<Clock>,
    router: Router,
) -> impl HttpService<Incoming, ResBody = axum::body::Body, Error = std::convert::Infallible, Future: Send> {
    let router = TowerToHyperService::new(router);
    service_fn(move |request| {
        clock.head_complete(Instant::now());
        let answer = router.call(request);
        let clock = clock.clone();
        async move {
            let answer = answer.await;
            clock.answered(Instant::now());
            answer
        }
    })
}
