//! A TLS webhook with canned responses, to test how the API server handles a response, whichever server sends it.

use super::http::RUNTIME;
use super::webhooks::Callee;
use axum::Router;
use axum::body::Bytes;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use rustls::pki_types::PrivatePkcs8KeyDer;
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// A response that denies the request with this message.
pub fn deny(review: &Value, message: &str) -> Response {
    answer(review, json!({"uid": review["request"]["uid"], "allowed": false, "status": {"message": message}}))
}

/// A response that allows the request.
pub fn allow(review: &Value) -> Response {
    answer(review, json!({"uid": review["request"]["uid"], "allowed": true, "auditAnnotations": {"canned": "yes"}}))
}

/// A response without a verdict that asks for a retry after one second.
pub fn not_yet() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, [(header::RETRY_AFTER, "1")]).into_response()
}

fn answer(review: &Value, response: Value) -> Response {
    let body = json!({"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response});
    ([(header::CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// A running server of canned responses. Dropping it stops it.
pub struct Canned {
    address: SocketAddr,
    certificate_pem: String,
    calls: Arc<AtomicUsize>,
    server: JoinHandle<()>,
}

impl Canned {
    /// Serves on a free port of 127.0.0.1, with a certificate for `127.0.0.1` and the given names. `answer` receives
    /// the number of the call, counted from 1, and the review.
    pub fn start(names: &[String], answer: impl Fn(usize, &Value) -> Response + Send + Sync + 'static) -> Self {
        let names = [names, &["127.0.0.1".to_owned()]].concat();
        let certificate = rcgen::generate_simple_self_signed(names).expect("valid names");
        let listener = RUNTIME.block_on(Tls::bind(&certificate));
        let address = listener.tcp.local_addr().expect("a bound listener has an address");
        let calls = Arc::new(AtomicUsize::default());
        let router = Router::new().fallback(counted(Arc::clone(&calls), answer));
        let server = RUNTIME.spawn(async { axum::serve(listener, router).await.expect("axum's serve never ends") });
        Self { address, certificate_pem: certificate.cert.pem(), calls, server }
    }

    /// The number of requests so far.
    pub fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl Callee for Canned {
    fn address(&self) -> SocketAddr {
        self.address
    }

    fn ca_pem(&self) -> &str {
        &self.certificate_pem
    }
}

impl Drop for Canned {
    fn drop(&mut self) {
        self.server.abort();
    }
}

/// A handler that counts the call and then calls `answer`.
fn counted(
    calls: Arc<AtomicUsize>,
    answer: impl Fn(usize, &Value) -> Response + Send + Sync + 'static,
) -> impl Fn(Bytes) -> std::future::Ready<Response> + Clone + Send + 'static {
    let answer = Arc::new(answer);
    move |body| {
        let call = calls.fetch_add(1, Ordering::SeqCst) + 1;
        std::future::ready(answer(call, &serde_json::from_slice(&body).unwrap_or(Value::Null)))
    }
}

/// A listener for axum that accepts TLS connections.
struct Tls {
    tcp: TcpListener,
    acceptor: TlsAcceptor,
}

impl Tls {
    async fn bind(certificate: &rcgen::CertifiedKey<rcgen::KeyPair>) -> Self {
        let key = PrivatePkcs8KeyDer::from(certificate.signing_key.serialize_der());
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider speaks TLS 1.2 and 1.3")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.cert.der().clone()], key.into())
            .expect("the key is the certificate's");
        let tcp = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.expect("a free port");
        Self { tcp, acceptor: Arc::new(config).into() }
    }
}

impl axum::serve::Listener for Tls {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, peer) = axum::serve::Listener::accept(&mut self.tcp).await;
            // A peer that fails the handshake is not the API server.
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, peer);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<Self::Addr> {
        self.tcp.local_addr()
    }
}
