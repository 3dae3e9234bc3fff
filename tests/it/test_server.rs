//! A real server on 127.0.0.1, and a client that sends arbitrary bytes.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use libtest_mimic::Trial;
use portcullis::server::{Budget, Limits, Phase, Server, Shutdown, Traffic, Transport, body, listen};
use portcullis::tls::{CertificateSource, Files, authority, server_config};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tempfile::TempDir;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Longer than the deadlines that a test waits for, and shorter than those that must not be reached.
pub const PATIENCE: Duration = Duration::from_secs(20);
/// A limit that no test reaches.
pub const NEVER: Duration = Duration::from_secs(600);

/// A trial that runs `test` on its own runtime and fails after a timeout.
pub fn trial<F: Future<Output = ()> + 'static>(name: &str, test: fn() -> F) -> Trial {
    Trial::test(name, move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async { tokio::time::timeout(3 * PATIENCE, test()).await })?;
        Ok(())
    })
}

/// Limits that are never reached, so that a test can tighten the one under test.
pub fn limits() -> Limits {
    Limits {
        handshake_timeout: NEVER,
        first_byte_timeout: NEVER,
        slow_after: NEVER,
        header_timeout: NEVER,
        idle_timeout: NEVER,
        write_timeout: NEVER,
        body_deadline: NEVER,
        linger: Duration::from_millis(100),
        drain_timeout: NEVER,
        grace: NEVER,
        ..Limits::default()
    }
}

/// State that the handlers share with a test.
#[derive(Clone)]
pub struct HandlerState {
    pub budget: Budget,
    pub limits: Limits,
    /// Notified when `/held` or `/large` has read its request.
    pub begun: Arc<Notify>,
    /// Allows `/held` to respond.
    pub release: Arc<Notify>,
}

/// A running server, which stops when it is closed or dropped.
pub struct TestServer {
    pub address: SocketAddr,
    pub traffic: Traffic,
    pub state: HandlerState,
    trust: Arc<ClientConfig>,
    pub shutdown: Shutdown,
    served: JoinHandle<usize>,
    _certificates: TempDir,
}

impl TestServer {
    /// A server like the webhook endpoint, with a development certificate.
    pub async fn start(limits: Limits) -> Self {
        let certificates = tempfile::tempdir().unwrap();
        let paths = authority::ensure(certificates.path(), &[]).unwrap();
        let files = Files::open(paths.certificate, paths.key, NEVER).await.unwrap();
        let state = HandlerState {
            budget: Budget::new(&limits),
            limits: limits.clone(),
            begun: Arc::default(),
            release: Arc::default(),
        };
        let transport = Transport::from(server_config(files.certificate()));
        let (address, traffic, shutdown, served) = serve(router(state.clone()), transport, limits).await;
        let trust = trust(&[&paths.ca_certificate]);
        Self { address, traffic, state, trust, shutdown, served, _certificates: certificates }
    }

    pub async fn tcp(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    pub async fn tls(&self) -> TlsStream<TcpStream> {
        handshake(self.address, self.trust.clone()).await.unwrap()
    }

    /// Connects from another loopback address.
    pub async fn tls_from(&self, peer: Ipv4Addr) -> TlsStream<TcpStream> {
        handshake_from(peer, self.address, self.trust.clone()).await.unwrap()
    }

    /// Posts a valid review on a new connection, which must be answered.
    pub async fn serves_the_next(&self) {
        let mut stream = self.tls().await;
        assert_eq!(exchange(&mut stream, &post("/echo", b"{}")).await, "200: 2 bytes");
    }

    /// Whether the server has ended.
    pub fn is_ended(&self) -> bool {
        self.served.is_finished()
    }

    /// Waits until the server has ended without a further signal, and verifies that no connection panicked. Returns how many
    /// connections it closed.
    pub async fn ends_by_itself(mut self) -> usize {
        let closed = tokio::time::timeout(PATIENCE, &mut self.served).await.expect("the server ends").unwrap();
        assert_eq!(self.traffic.panicked.get(), 0, "no connection may panic");
        closed
    }

    /// Ends the server, and verifies that no connection panicked. Returns how many connections it closed.
    pub async fn ended(self) -> usize {
        self.shutdown.enter(Phase::Closing);
        self.ends_by_itself().await
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        self.served.abort();
    }
}

/// Serves on a free port.
pub async fn serve(
    router: Router,
    transport: Transport,
    limits: Limits,
) -> (SocketAddr, Traffic, Shutdown, JoinHandle<usize>) {
    let listener = listen(([127, 0, 0, 1], 0).into(), &limits).unwrap();
    let address = listener.local_addr().unwrap();
    let traffic = Traffic::default();
    let server = Server { router, transport, limits, traffic: traffic.clone() };
    let shutdown = Shutdown::default();
    (address, traffic, shutdown.clone(), tokio::spawn(server.serve(listener, shutdown)))
}

fn router(state: HandlerState) -> Router {
    Router::new().route("/echo", any(echo)).route("/held", any(held)).route("/large", any(large)).with_state(state)
}

/// Responds with the size of the request body.
async fn echo(State(state): State<HandlerState>, request: Request) -> Response {
    match body::read(request, &state.budget, &state.limits).await {
        Ok(body) => format!("{} bytes", body.len()).into_response(),
        Err(refusal) => refusal.into_response(),
    }
}

/// Keeps the request body, and responds when the test allows it.
async fn held(State(state): State<HandlerState>, request: Request) -> &'static str {
    let _body = body::read(request, &state.budget, &state.limits).await;
    state.begun.notify_one();
    state.release.notified().await;
    "released"
}

/// Responds with more bytes than all socket buffers of a connection can hold.
async fn large(State(state): State<HandlerState>, request: Request) -> Vec<u8> {
    let _body = body::read(request, &state.budget, &state.limits).await;
    state.begun.notify_one();
    vec![b'x'; 64 << 20]
}

/// A client that trusts these CAs and is configured like the API server's.
pub fn trust(authorities: &[&Path]) -> Arc<ClientConfig> {
    client(authorities, None)
}

/// The same with a client certificate and its key from these files.
pub fn trust_as(authorities: &[&Path], certificate: &Path, key: &Path) -> Arc<ClientConfig> {
    let chain = CertificateDer::pem_file_iter(certificate).unwrap().map(Result::unwrap).collect();
    client(authorities, Some((chain, PrivateKeyDer::from_pem_file(key).unwrap())))
}

fn client(
    authorities: &[&Path],
    shown: Option<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>)>,
) -> Arc<ClientConfig> {
    let mut roots = RootCertStore::empty();
    for path in authorities {
        roots.add(CertificateDer::from_pem_file(path).unwrap()).unwrap();
    }
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    let config = config.with_root_certificates(roots);
    let mut config = match shown {
        Some((chain, key)) => config.with_client_auth_cert(chain, key).unwrap(),
        None => config.with_no_client_auth(),
    };
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Arc::new(config)
}

/// Connects from this loopback address.
pub async fn handshake_from(
    peer: Ipv4Addr,
    address: SocketAddr,
    trust: Arc<ClientConfig>,
) -> io::Result<TlsStream<TcpStream>> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((peer, 0).into())?;
    handshake_over(socket.connect(address).await?, trust).await
}

pub async fn handshake(address: SocketAddr, trust: Arc<ClientConfig>) -> io::Result<TlsStream<TcpStream>> {
    handshake_over(TcpStream::connect(address).await?, trust).await
}

async fn handshake_over(stream: TcpStream, trust: Arc<ClientConfig>) -> io::Result<TlsStream<TcpStream>> {
    let name = ServerName::try_from("localhost").unwrap();
    tokio::time::timeout(PATIENCE, TlsConnector::from(trust).connect(name, stream)).await?
}

/// The text of an answer that is not a review: why, and what to do if it lasts.
pub fn without_review(why: &str) -> String {
    format!("{why}; if this lasts, see /readyz?verbose; `portcullis disarm` stops enforcement")
}

/// A POST of JSON.
pub fn post(path: &str, body: &[u8]) -> Vec<u8> {
    let head = format!(
        "POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    [head.as_bytes(), body].concat()
}

/// Sends `bytes` and reads one response as `status: body`.
pub async fn exchange<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, bytes: &[u8]) -> String {
    stream.write_all(bytes).await.unwrap();
    stream.flush().await.unwrap();
    let answer = answer(stream).await.expect("an answer");
    format!("{}: {}", answer.status, answer.body.trim_end())
}

/// One HTTP response.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

/// The next response on `stream`; `None` if the peer closes it without one.
pub async fn answer<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Answer> {
    tokio::time::timeout(PATIENCE, read_answer(stream)).await.expect("an answer or a close in time").ok()
}

async fn read_answer<S: AsyncRead + Unpin>(stream: &mut S) -> io::Result<Answer> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        head.push(stream.read_u8().await?);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap_or("0");
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).await?;
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    Ok(Answer { status, head, body: String::from_utf8(body).unwrap() })
}

/// Waits until the peer closes `stream` in any way. Returns the time since `since`.
pub async fn closed<S: AsyncRead + Unpin>(stream: &mut S, since: Instant) -> Duration {
    let mut waste = Vec::new();
    let _ = tokio::time::timeout(PATIENCE, stream.read_to_end(&mut waste)).await.expect("the peer closes");
    since.elapsed()
}

/// Sends `byte` repeatedly until the peer accepts no more.
pub async fn dribble<S: AsyncWrite + Unpin>(stream: &mut S, byte: u8) {
    let pause = Duration::from_millis(20);
    while stream.write_all(&[byte]).await.is_ok() && stream.flush().await.is_ok() {
        tokio::time::sleep(pause).await;
    }
}
