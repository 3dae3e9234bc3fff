//! TLS for the bench: one P-256 certificate for its own servers, TLS 1.3 only, with aws-lc-rs.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::version::TLS13;
use rustls::{ClientConfig, RootCertStore, ServerConfig, crypto::aws_lc_rs};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_rustls::{TlsAcceptor, TlsConnector};

/// The certificate that clients trust, in the folder of a server's certificate.
pub const AUTHORITY: &str = "ca.crt";
const KEY: &str = "tls.key";
/// The name in every server's certificate.
const NAME: &str = "localhost";

/// Creates a self-signed certificate and its key in `folder`.
pub fn make_certificate(folder: &Path) -> Result<()> {
    let made = rcgen::generate_simple_self_signed([NAME.to_owned(), "127.0.0.1".to_owned()])?;
    std::fs::write(folder.join(AUTHORITY), made.cert.pem())?;
    std::fs::write(folder.join(KEY), made.signing_key.serialize_pem())?;
    Ok(())
}

/// Accepts connections with the certificate of `make_certificate` in `folder`.
pub fn acceptor(folder: &Path) -> Result<TlsAcceptor> {
    let certificate = CertificateDer::from_pem_file(folder.join(AUTHORITY))?;
    let key = PrivateKeyDer::from_pem_file(folder.join(KEY))?;
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)?;
    Ok(TlsAcceptor::from(Arc::new(config)))
}

/// Connects like the API server: it trusts only the CA in `folder` and supports only HTTP/1.1.
pub fn connector(folder: &Path) -> Result<TlsConnector> {
    let mut roots = RootCertStore::empty();
    let authority = folder.join(AUTHORITY);
    let certificate = CertificateDer::from_pem_file(&authority).with_context(|| authority.display().to_string())?;
    roots.add(certificate)?;
    let mut config = ClientConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_protocol_versions(&[&TLS13])?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Establishes TLS over a connection to a local server.
pub async fn handshake(connector: &TlsConnector, connection: TcpStream) -> Result<TlsStream<TcpStream>> {
    connection.set_nodelay(true)?;
    Ok(connector.connect(ServerName::try_from(NAME)?, connection).await?)
}
