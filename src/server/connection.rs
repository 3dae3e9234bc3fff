//! One connection, from its TLS handshake until it is closed.

use std::sync::Arc;

use axum::Router;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, Request};
use hyper::body::{Body, Incoming};
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

use super::origin::{PeerCertificates, RequestOrigin};
use super::shutdown::{Phase, Shutdown};
use super::slots::{ConnectionSlot, Eviction};
use super::timeout_io::TimeoutIo;
use super::timeouts::ConnectionTimeouts;
use super::{Limits, Traffic, Transport};

/// Everything that is needed to serve one connection.
pub(super) struct Connection {
    pub(super) router: Router,
    pub(super) transport: Transport,
    pub(super) limits: Limits,
    pub(super) traffic: Traffic,
    /// Decides whether a response is the last one of the connection.
    pub(super) shutdown: Shutdown,
    /// Signals the connection to close after the current request.
    pub(super) watcher: Watcher,
}

impl Connection {
    /// Serves the connection until it ends or is evicted in favor of another one.
    pub(super) async fn run(self, stream: TcpStream, slot: ConnectionSlot, eviction: Eviction) {
        let evicted = self.traffic.evicted.clone();
        tokio::select! {
            // An evicted connection must not begin another request.
            biased;
            () = eviction.wanted() => { evicted.inc(); }
            () = self.open(stream, slot) => {}
        }
    }

    async fn open(self, stream: TcpStream, slot: ConnectionSlot) {
        // A response is written as a whole, so waiting for a full packet would only delay it. Setting the option fails
        // only for a socket that is closing.
        let _ = stream.set_nodelay(true);
        match self.transport.clone() {
            Transport::Plain => self.serve_http(stream, slot, PeerCertificates::default()).await,
            Transport::Tls(acceptor) => match self.handshake(acceptor, stream).await {
                Some(stream) => {
                    let certificates =
                        PeerCertificates::new(stream.get_ref().1.peer_certificates().unwrap_or_default());
                    self.serve_http(stream, slot, certificates).await;
                }
                None => {
                    self.traffic.handshakes_failed.inc();
                }
            },
        }
    }

    async fn handshake(&self, acceptor: TlsAcceptor, stream: TcpStream) -> Option<TlsStream<TcpStream>> {
        match timeout(self.limits.handshake_timeout, acceptor.accept(stream)).await {
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

    async fn serve_http<S>(self, stream: S, slot: ConnectionSlot, certificates: PeerCertificates)
    where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
    {
        let timeouts = Arc::new(ConnectionTimeouts::new(&self.limits, slot, Instant::now()));
        let stream = TokioIo::new(TimeoutIo::new(stream, timeouts.clone(), &self.limits, &self.traffic));
        let service = connection_service(RequestOrigin::new(timeouts, certificates), self.router, self.shutdown);
        let connection = http(&self.limits).serve_connection(stream, service);
        if let Err(error) = self.watcher.watch(connection).await {
            tracing::debug!(%error, "connection ended");
        }
    }
}

/// The HTTP/1.1 parser with our limits. Its own header timeout is disabled, since it does not distinguish an idle
/// connection from a slowly sent head. [`TimeoutIo`] ends both.
fn http(limits: &Limits) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_headers(limits.headers)
        .max_header_size(limits.head_bytes)
        .max_buf_size(limits.read_buffer);
    http
}

/// Wraps `router`: adds the origin to each request, and reports to the origin when the head of the request is complete
/// and when the response is ready. From draining on, each response has `Connection: close`.
fn connection_service(
    origin: RequestOrigin,
    router: Router,
    shutdown: Shutdown,
) -> impl HttpService<Incoming, ResBody = axum::body::Body, Error = std::convert::Infallible, Future: Send> {
    let router = TowerToHyperService::new(router);
    service_fn(move |mut request: Request<Incoming>| {
        origin.head_complete(!request.body().is_end_stream());
        request.extensions_mut().insert(origin.clone());
        let answer = router.call(request);
        let (origin, shutdown) = (origin.clone(), shutdown.clone());
        async move {
            let mut answer = answer.await;
            if shutdown.phase() >= Phase::Draining
                && let Ok(answer) = &mut answer
            {
                answer.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            }
            origin.answered(answer.as_ref().is_ok_and(|answer| answer.status().is_success()));
            answer
        }
    })
}
