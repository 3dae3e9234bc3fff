//! A certificate chain and its key, parsed from PEM and verified to belong together.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use rustls::Error;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;
use x509_parser::parse_x509_certificate;

use super::{TlsError, provider};

/// A certificate that can be served, with its validity period.
#[derive(Debug)]
pub struct Pair {
    /// The chain, leaf first, and the key.
    pub key: Arc<CertifiedKey>,
    /// The time from which the leaf is valid.
    pub not_before: Timestamp,
    /// The time at which the leaf expires.
    pub not_after: Timestamp,
}

/// The contents of two files. They are compared as bytes, since neither the modification time nor the inode of a file
/// in a mounted Secret shows that it has changed.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyPairFiles {
    /// The content of the certificate file.
    pub certificate: Vec<u8>,
    /// The content of the key file.
    pub key: Vec<u8>,
}

impl KeyPairFiles {
    /// Reads both files.
    pub async fn read(certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        Ok(Self { certificate: read(certificate).await?, key: read(key).await? })
    }
}

impl Pair {
    /// Parses the pair in `pem`. The paths are for error messages.
    pub fn parse(pem: &KeyPairFiles, certificate: &Path, key: &Path) -> Result<Self, TlsError> {
        let chain = chain(&pem.certificate).map_err(|why| TlsError::Certificate { path: certificate.into(), why })?;
        let private = PrivateKeyDer::from_pem_slice(&pem.key)
            .map_err(|error| TlsError::Key { path: key.into(), why: error.to_string() })?;
        let (not_before, not_after) =
            validity(&chain[0]).map_err(|why| TlsError::Certificate { path: certificate.into(), why })?;
        let key = CertifiedKey::from_der(chain, private, &provider()).map_err(|why| {
            let (certificate, key) = (certificate.into(), key.into());
            match why {
                Error::InconsistentKeys(_) => TlsError::Mismatch { certificate, key },
                why => TlsError::Unsupported { certificate, key, why },
            }
        })?;
        Ok(Self { key: Arc::new(key), not_before, not_after })
    }

    /// A chain, leaf first, and its key, as our own authority has just issued them.
    pub fn issued(chain: Vec<CertificateDer<'static>>, private: PrivateKeyDer<'static>) -> Result<Self, TlsError> {
        let leaf = chain.first().ok_or_else(|| TlsError::Issued("the chain is empty".to_owned()))?;
        let (not_before, not_after) = validity(leaf).map_err(TlsError::Issued)?;
        let key =
            CertifiedKey::from_der(chain, private, &provider()).map_err(|error| TlsError::Issued(error.to_string()))?;
        Ok(Self { key: Arc::new(key), not_before, not_after })
    }
}

async fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    tokio::fs::read(path).await.map_err(|why| TlsError::Read { path: path.into(), why })
}

/// All certificates in `pem`. At least one is required, and all must be valid PEM.
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
