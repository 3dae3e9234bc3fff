//! The serving certificate of the webhook, which can be replaced without closing a connection.
//!
//! The input is PEM files, from an operator or from our own development CA. The output is a rustls configuration that
//! always serves the newest valid certificate, and the health of that certificate. This module never reads a Secret
//! from the API, makes no network call, and never replaces a working certificate by an invalid file.
//!
//! [`Files`] is a [`CertificateSource`], and `crate::issuer` has another one. [`ClientAuthority`] verifies the certificates of
//! clients.

pub mod authority;
mod client;
mod error;
mod files;
mod pair;
mod params;

use std::sync::Arc;

use arc_swap::ArcSwapOption;
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
pub use params::{CLOCK_SKEW, authority_params, leaf_params};

/// What to do where the API server can call no replica, so that `failurePolicy: Fail` denies every write.
const WAY_OUT: &str = "`portcullis disarm` stops enforcement";

/// A source of the serving certificate. Each has a task of its own that keeps the certificate up to date.
pub trait CertificateSource: Send + Sync {
    /// The certificate to serve.
    fn certificate(&self) -> Arc<ServerCertificate>;

    /// The health of the certificate at `now`; see [`ServerCertificate::healthy`].
    fn healthy(&self, now: Timestamp) -> Result<Option<String>, String>;
}

/// The certificate in use, which can be replaced at any time. Open connections keep the certificate of their handshake.
#[derive(Debug, Default)]
pub struct ServerCertificate {
    /// `None` until the source has the first one.
    current: ArcSwapOption<Pair>,
    /// Why a newer pair is not in use, if there is one.
    failure: ArcSwapOption<String>,
}

impl ServerCertificate {
    /// Serves `pair` until it is replaced.
    pub fn new(pair: Pair) -> Self {
        Self { current: ArcSwapOption::from_pointee(pair), failure: ArcSwapOption::empty() }
    }

    /// Serves `pair` from the next handshake on.
    pub fn replace(&self, pair: Pair) {
        self.current.store(Some(Arc::new(pair)));
        self.failure.store(None);
    }

    /// Keeps the current pair and records why a newer one is not in use.
    pub fn keep(&self, why: &TlsError) {
        self.failure.store(Some(Arc::new(why.to_string())));
    }

    /// The expiry of the certificate, for the metric; `None` while there is no certificate.
    pub fn not_after(&self) -> Option<Timestamp> {
        self.current.load().as_ref().map(|pair| pair.not_after)
    }

    /// `Ok` if clients accept the certificate at `now`, otherwise `Err`. Both contain what an operator should know, if
    /// anything.
    pub fn healthy(&self, now: Timestamp) -> Result<Option<String>, String> {
        let current = self.current.load();
        let failure = self.failure.load_full().map(|why| format!("the renewed certificate cannot be used: {why}"));
        let also = failure.as_ref().map(|failure| format!("; {failure}")).unwrap_or_default();
        let Some(pair) = &*current else { return Err(format!("no certificate yet{also}; {WAY_OUT}")) };
        if now < pair.not_before {
            return Err(format!("not valid before {}{also}", pair.not_before));
        }
        if now > pair.not_after {
            return Err(format!("expired at {}{also}; {WAY_OUT}", pair.not_after));
        }
        Ok(failure)
    }
}

impl ResolvesServerCert for ServerCertificate {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.current.load().as_ref().map(|pair| pair.key.clone())
    }
}

/// The TLS configuration of the webhook: TLS 1.2 or newer, only HTTP/1.1, which suits the API server, and no session
/// storage, since the API server never resumes a session.
pub fn server_config(certificate: Arc<ServerCertificate>) -> Arc<ServerConfig> {
    config(certificate, WebPkiClientVerifier::no_client_auth())
}

/// The same configuration, but requesting a certificate from each client, which a [`ClientAuthority`] verifies later.
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

/// The cryptography provider. It is always passed explicitly, so that other linked providers do not matter.
fn provider() -> Arc<CryptoProvider> {
    Arc::new(aws_lc_rs::default_provider())
}
