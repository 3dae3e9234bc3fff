//! The transport below HTTP.

use std::sync::Arc;

use tokio_rustls::TlsAcceptor;

/// The transport of a connection.
#[derive(Clone)]
pub enum Transport {
    /// Plain TCP, for probes and metrics.
    Plain,
    /// TLS, for reviews.
    Tls(TlsAcceptor),
}

impl From<Arc<rustls::ServerConfig>> for Transport {
    fn from(config: Arc<rustls::ServerConfig>) -> Self {
        Self::Tls(config.into())
    }
}
