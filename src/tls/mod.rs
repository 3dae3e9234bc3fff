//! The certificate that the webhook shows, and how it is replaced without closing a connection.
//!
//! In come PEM files, an operator's or our own development authority's; out goes a rustls configuration that always
//! shows the newest good certificate, and a word on its health. This room never reads a Secret, never calls out, and
//! never lets a broken file take away a certificate that works.
//!
//! A source of certificates has three words: `start` keeps it up to date, `certificate` is what to show, and `healthy`
//! says how it is. [`Files`] is such a source. [`ClientAuthority`] is the other side: who may ask.

pub mod authority;
mod client;
mod error;
mod files;
mod pair;

use std::sync::Arc;

use arc_swap::{ArcSwap, ArcSwapOption};
use jiff::Timestamp;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{ClientHello, NoServerSessionStorage, ResolvesServerCert, ServerConfig, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls::version::{TLS12, TLS13};

use client::AnyCertificate;
pub use client::{ClientAuthority, Verified};
pub use error::TlsError;
pub use files::Files;
pub use pair::{KeyPairFiles, Pair};

/// The certificate in use. It can be replaced at any time: open connections keep what they began with, new ones get the
/// new one.
#[derive(Debug)]
pub struct ServerCertificate {
    current: ArcSwap<Pair>,
    /// Why a newer pair is not in use.
    trouble: ArcSwapOption<String>,
}

impl ServerCertificate {
    /// Shows `pair` until told otherwise.
    pub fn new(pair: Pair) -> Self {
        Self { current: ArcSwap::from_pointee(pair), trouble: ArcSwapOption::empty() }
    }

    /// Shows `pair` from the next handshake on.
    pub fn replace(&self, pair: Pair) {
        self.current.store(Arc::new(pair));
        self.trouble.store(None);
    }

    /// Keeps what is shown, and remembers why there is nothing newer.
    pub fn keep(&self, why: &TlsError) {
        self.trouble.store(Some(Arc::new(why.to_string())));
    }

    /// When the certificate expires, for the metric that warns of it.
    pub fn not_after(&self) -> Timestamp {
        self.current.load().not_after
    }

    /// `Ok` while clients can accept the certificate at `now`, `Err` when they cannot; either carries what an operator
    /// should know, if anything.
    pub fn healthy(&self, now: Timestamp) -> Result<Option<String>, String> {
        let pair = self.current.load();
        let trouble = self.trouble.load_full().map(|why| format!("the renewed certificate cannot be used: {why}"));
        let also = trouble.as_ref().map(|trouble| format!("; {trouble}")).unwrap_or_default();
        if now < pair.not_before {
            return Err(format!("not valid before {}{also}", pair.not_before));
        }
        if now > pair.not_after {
            return Err(format!("expired at {}{also}", pair.not_after));
        }
        Ok(trouble)
    }
}

impl ResolvesServerCert for ServerCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.current.load().key.clone())
    }
}

/// TLS as the webhook speaks it: 1.2 or newer, HTTP/1.1 only as the API server wants it, and nothing kept of a session,
/// since the API server never resumes one.
pub fn server_config(certificate: Arc<ServerCertificate>) -> Arc<ServerConfig> {
    config(certificate, WebPkiClientVerifier::no_client_auth())
}

/// The same, asking each client for a certificate; a [`ClientAuthority`] says what it is good for.
pub fn server_config_for_clients(certificate: Arc<ServerCertificate>) -> Arc<ServerConfig> {
    config(certificate, Arc::new(AnyCertificate::new()))
}

fn config(certificate: Arc<ServerCertificate>, clients: Arc<dyn ClientCertVerifier>) -> Arc<ServerConfig> {
    let mut config = ServerConfig::builder_with_provider(provider())
        .with_protocol_versions(&[&TLS13, &TLS12])
        .expect("aws-lc-rs speaks both versions")
        .with_client_cert_verifier(clients)
        .with_cert_resolver(certificate);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config.send_tls13_tickets = 0;
    config.session_storage = Arc::new(NoServerSessionStorage {});
    Arc::new(config)
}

/// The one source of cryptography, named wherever rustls asks, so that it does not matter what else is linked in.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}
