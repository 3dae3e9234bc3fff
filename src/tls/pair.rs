//! A certificate chain with its key: read from PEM, and known to belong together.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use x509_parser::parse_x509_certificate;

use super::{TlsError, provider};

/// A certificate that can be served, and when.
#[derive(Debug)]
pub struct Pair {
    /// Chain and key, leaf first.
    pub key: Arc<CertifiedKey>,
    /// When the leaf begins to be valid.
    pub not_before: Timestamp,
    /// When the leaf expires.
    pub not_after: Timestamp,
}

/// What two files hold: compared as bytes, since neither time nor inode of a mounted Secret says that it has changed.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyPairFiles {
    /// The certificate's file.
    pub certificate: Vec<u8>,
    /// The key's file.
    pub key: Vec<u8>,
}

impl KeyPairFiles {
    /// Both files as they are now.
    pub async fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        Ok(Self { certificate: read(certificate).await?, key: read(key).await? })
    }
}

impl Pair {
    /// The pair in `pem`; the paths are for the messages.
    pub fn parse(pem: &KeyPairFiles, certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let chain = chain(&pem.certificate).map_err(|why| TlsError::Certificate { path: certificate.into(), why })?;
        let private = PrivateKeyDer::from_pem_slice(&pem.key)
            .map_err(|error| TlsError::Key { path: key.into(), why: error.to_string() })?;
        let (not_before, not_after) =
            validity(&chain[0]).map_err(|why| TlsError::Certificate { path: certificate.into(), why })?;
        let key = CertifiedKey::from_der(chain, private, &provider()).map_err(|source| TlsError::Mismatch {
            certificate: certificate.into(),
            key: key.into(),
            source,
        })?;
        Ok(Self { key: Arc::new(key), not_before, not_after })
    }
}

async fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    tokio::fs::read(path).await.map_err(|source| TlsError::Read { path: path.into(), source })
}

/// At least one certificate, every one whole.
fn chain(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let chain =
        CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
    if chain.is_empty() {
        return Err(pem::Error::NoItemsFound.to_string());
    }
    Ok(chain)
}

fn validity(leaf: &CertificateDer<'_>) -> Result<(Timestamp, Timestamp), String> {
    let (_, leaf) = parse_x509_certificate(leaf).map_err(|error| error.to_string())?;
    let validity = leaf.validity();
    let moment =
        |time: x509_parser::time::ASN1Time| Timestamp::from_second(time.timestamp()).map_err(|error| error.to_string());
    Ok((moment(validity.not_before)?, moment(validity.not_after)?))
}
