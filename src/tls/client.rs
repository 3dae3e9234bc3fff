//! Verifies client certificates against CAs that can be replaced while they are in use.
//!
//! The handshake accepts any certificate whose key the client has, and clients without a certificate.
//! [`ClientAuthority`] verifies the certificate later, so that a client without an accepted certificate receives an
//! HTTP response that says so, instead of a failed handshake.

use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{DigitallySignedStruct, DistinguishedName, RootCertStore, SignatureScheme};
use x509_parser::extensions::GeneralName;
use x509_parser::parse_x509_certificate;

use super::{TlsError, provider};

/// How long a result for the certificate of one connection stays valid. The certificate may expire while the connection
/// is open.
const REMEMBERED: Duration = Duration::from_secs(60);

/// The CAs whose certificates authorize a client, and the names of which the certificate must have one.
#[derive(Debug)]
pub struct ClientAuthority {
    path: PathBuf,
    names: Vec<String>,
    current: ArcSwap<Trust>,
}

#[derive(Debug)]
struct Trust {
    verifier: Arc<dyn ClientCertVerifier>,
    since: Instant,
}

/// The time and the result of the last verification of one connection's certificate.
#[derive(Debug, Default)]
pub struct Verified(Mutex<Option<(Instant, bool)>>);

impl ClientAuthority {
    /// Trusts the CAs in `pem`, read from `path`. If `names` is empty, all their client certificates are accepted.
    pub fn new(path: &Path, pem: &[u8], names: Vec<String>) -> Result<Self, TlsError> {
        Ok(Self { path: path.into(), names, current: ArcSwap::from_pointee(Trust::parse(path, pem)?) })
    }

    /// Trusts only the CAs in `pem` from the next request on. On an error, such as a `pem` without a certificate,
    /// nothing changes.
    pub fn replace(&self, pem: &[u8]) -> Result<(), TlsError> {
        self.current.store(Arc::new(Trust::parse(&self.path, pem)?));
        Ok(())
    }

    /// Whether the leaf of `chain` is a client certificate of these CAs, currently valid, with one of the names.
    pub fn vouches_for(&self, chain: &[CertificateDer<'_>], verified: &Verified) -> bool {
        let [leaf, intermediates @ ..] = chain else { return false };
        let (trust, now) = (self.current.load(), Instant::now());
        let mut last = verified.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, is_good)) = *last
            && at > trust.since
            && now.saturating_duration_since(at) < REMEMBERED
        {
            return is_good;
        }
        let good = trust.verifier.verify_client_cert(leaf, intermediates, UnixTime::now());
        let is_good = match &good {
            Ok(_) => self.names.is_empty() || has_name(leaf, &self.names),
            Err(error) => {
                tracing::debug!(%error, "client certificate rejected");
                false
            }
        };
        *last = Some((now, is_good));
        is_good
    }
}

impl Trust {
    fn parse(path: &Path, pem: &[u8]) -> Result<Self, TlsError> {
        let broken = |why: String| TlsError::ClientAuthority { path: path.into(), why };
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(pem) {
            let certificate = certificate.map_err(|error| broken(error.to_string()))?;
            roots.add(certificate).map_err(|error| broken(error.to_string()))?;
        }
        // Fails if the file contains no certificate.
        let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider());
        let verifier = verifier.build().map_err(|error| broken(error.to_string()))?;
        Ok(Self { verifier, since: Instant::now() })
    }
}

/// Whether the common name or a subject alternative name of the certificate is one of `names`.
fn has_name(leaf: &CertificateDer<'_>, names: &[String]) -> bool {
    let Ok((_, leaf)) = parse_x509_certificate(leaf) else { return false };
    let is_named = |name: &str| names.iter().any(|allowed| allowed == name);
    let common = leaf.subject().iter_common_name().any(|name| name.as_str().is_ok_and(is_named));
    let alternative = leaf.subject_alternative_name().ok().flatten();
    let mut alternatives = alternative.iter().flat_map(|extension| &extension.value.general_names);
    common
        || alternatives.any(|name| match name {
            GeneralName::DNSName(name) => names.iter().any(|allowed| allowed.eq_ignore_ascii_case(name)),
            GeneralName::URI(name) | GeneralName::RFC822Name(name) => is_named(name),
            GeneralName::IPAddress(bytes) => address(bytes).is_some_and(|address| is_named(&address.to_string())),
            _ => false,
        })
}

fn address(bytes: &[u8]) -> Option<IpAddr> {
    let v4 = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    v4.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from)).ok()
}

/// Requests a certificate from every client, and verifies only that the client has its key.
#[derive(Debug)]
pub(super) struct AnyCertificate(Arc<CryptoProvider>);

impl AnyCertificate {
    pub(super) fn new() -> Self {
        Self(provider())
    }
}

impl ClientCertVerifier for AnyCertificate {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    /// An empty list, so that clients send their certificate even if the CAs were replaced a moment ago.
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, rustls::Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
