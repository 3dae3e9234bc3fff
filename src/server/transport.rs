//! What carries the HTTP of a connection.

use std::sync::Arc;

use tokio_rustls::TlsAcceptor;

/// What the bytes of a connection travel in.
#[derive(Clone)]
pub enum Transport {
    /// TCP alone, for probes and metrics.
    Plain,
    /// TLS, for reviews.
    Tls(TlsAcceptor),
}

impl From<Arc<rustls::ServerConfig>> for Transport {
    fn from(config: Arc<rustls::ServerConfig>) -> Self {
        Self::Tls(config.into())
    }
}
