//! A development CA in a directory, and a serving certificate that it signs.
//!
//! Existing files are reused, so that `curl --cacert` and an API server that trust the CA today still trust it
//! tomorrow.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, Issuer, KeyPair};
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

use super::{KeyPairFiles, Pair, TlsError, authority_params, leaf_params, provider};
use crate::platform::set_mode;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// An API server may be configured to trust the CA, so the CA must not expire during the project.
const AUTHORITY_LIFE: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);
/// Less than the 398 days that strict clients accept.
const LEAF_LIFE: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// The names that every serving certificate has.
const LOCAL_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The paths of the CA and of the serving certificate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificatePaths {
    /// The certificate of the CA, which clients must trust.
    pub ca_certificate: PathBuf,
    /// The key of the CA, readable by its owner only.
    pub ca_key: PathBuf,
    /// The serving certificate.
    pub certificate: PathBuf,
    /// The key of the serving certificate, readable by its owner only.
    pub key: PathBuf,
}

/// The paths of a client certificate and of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientPaths {
    /// The client certificate.
    pub certificate: PathBuf,
    /// The key of the client certificate, readable by its owner only.
    pub key: PathBuf,
}

impl CertificatePaths {
    /// The four paths in `dir`.
    pub fn of(dir: &Path) -> Self {
        Self {
            ca_certificate: dir.join("ca.crt"),
            ca_key: dir.join("ca.key"),
            certificate: dir.join("tls.crt"),
            key: dir.join("tls.key"),
        }
    }
}

/// Creates, where they are missing, a CA in `dir` and a serving certificate for the local names of this machine and
/// `names`. The certificate is also reissued if it expires within a day, lacks a name, or was signed by another CA. The
/// CA is never reissued, since clients may trust it.
pub fn ensure(dir: &Path, names: &[String]) -> Result<CertificatePaths, TlsError> {
    let paths = CertificatePaths::of(dir);
    let names = server_names(names)?;
    fs::create_dir_all(dir).map_err(|why| TlsError::Write { path: dir.into(), why })?;
    if !exists(&paths.ca_certificate)? && !exists(&paths.ca_key)? {
        create(&paths)?;
    }
    let authority = Authority::open(dir, &paths)?;
    if !authority.vouches_for(&paths, &names) {
        authority.issue(&paths, &names)?;
    }
    Ok(paths)
}

/// Issues a client certificate of the CA in `dir` with the common name `name`, for a development API server that must
/// present one. It is reissued each time, since the server trusts the CA and not the certificate.
pub fn issue_client(dir: &Path, name: &str) -> Result<ClientPaths, TlsError> {
    let paths = ClientPaths { certificate: dir.join("client.crt"), key: dir.join("client.key") };
    let authority = Authority::open(dir, &CertificatePaths::of(dir))?;
    let leaf = leaf_params(Vec::new(), name, ExtendedKeyUsagePurpose::ClientAuth, from_now(LEAF_LIFE))?;
    authority.sign(&leaf, &paths.certificate, &paths.key)?;
    Ok(paths)
}

/// The local names and `names`, all of which must be valid in a certificate.
fn server_names(names: &[String]) -> Result<Vec<ServerName<'static>>, TlsError> {
    let names = LOCAL_NAMES.into_iter().chain(names.iter().map(String::as_str));
    names.map(|name| ServerName::try_from(name.to_owned()).map_err(|_| TlsError::Name { name: name.into() })).collect()
}

/// The CA, as read from disk.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    verifier: Arc<WebPkiServerVerifier>,
}

impl Authority {
    /// Reads the CA and checks that it can sign: its certificate and key must be a pair, and it must not have expired.
    fn open(dir: &Path, paths: &CertificatePaths) -> Result<Self, TlsError> {
        let unusable = |why: String| TlsError::Authority { dir: dir.into(), why };
        let pem = KeyPairFiles {
            certificate: read(&paths.ca_certificate).map_err(|error| unusable(error.to_string()))?,
            key: read(&paths.ca_key).map_err(|error| unusable(error.to_string()))?,
        };
        let pair = Pair::parse(&pem, &paths.ca_certificate, &paths.ca_key).map_err(|e| unusable(e.to_string()))?;
        if pair.not_after < jiff::Timestamp::now() {
            return Err(unusable(format!("it expired at {}", pair.not_after)));
        }
        let key = KeyPair::from_pem(&String::from_utf8_lossy(&pem.key)).map_err(|e| unusable(e.to_string()))?;
        let certificate = &pair.key.cert[0];
        let issuer = Issuer::from_ca_cert_der(certificate, key).map_err(|e| unusable(e.to_string()))?;
        let verifier = verifier(certificate).map_err(unusable)?;
        Ok(Self { issuer, verifier })
    }

    /// Whether the serving certificate on disk was signed by this CA, matches its key, and is valid for every name
    /// until tomorrow.
    fn vouches_for(&self, paths: &CertificatePaths, names: &[ServerName<'static>]) -> bool {
        let (Ok(certificate), Ok(key)) = (read(&paths.certificate), read(&paths.key)) else { return false };
        let Ok(pair) = Pair::parse(&KeyPairFiles { certificate, key }, &paths.certificate, &paths.key) else {
            return false;
        };
        let [leaf, chain @ ..] = pair.key.cert.as_slice() else { return false };
        let tomorrow = UnixTime::since_unix_epoch(Duration::from_secs(UnixTime::now().as_secs()) + DAY);
        names.iter().all(|name| self.verifier.verify_server_cert(leaf, chain, name, &[], tomorrow).is_ok())
    }

    fn issue(&self, paths: &CertificatePaths, names: &[ServerName<'static>]) -> Result<(), TlsError> {
        let names: Vec<String> = names.iter().map(|name| name.to_str().into_owned()).collect();
        let leaf = leaf_params(names, "portcullis", ExtendedKeyUsagePurpose::ServerAuth, from_now(LEAF_LIFE))?;
        self.sign(&leaf, &paths.certificate, &paths.key)
    }

    /// Signs `leaf` and writes it together with a new key.
    fn sign(&self, leaf: &CertificateParams, certificate: &Path, key: &Path) -> Result<(), TlsError> {
        let pair = KeyPair::generate()?;
        let signed = leaf.signed_by(&pair, &self.issuer)?;
        replace(key, &pair.serialize_pem())?;
        replace(certificate, &signed.pem())
    }
}

/// Creates a CA. Its key is written first, so that there is never a certificate without a key, which clients could
/// trust in vain.
fn create(paths: &CertificatePaths) -> Result<(), TlsError> {
    let key = KeyPair::generate()?;
    let ca = authority_params("Portcullis development authority", from_now(AUTHORITY_LIFE));
    let certificate = ca.self_signed(&key)?;
    write_new(&paths.ca_key, &key.serialize_pem())?;
    write_new(&paths.ca_certificate, &certificate.pem())
}

/// A life of this length that begins now.
fn from_now(length: Duration) -> Range<SystemTime> {
    let now = SystemTime::now();
    now..now + length
}

fn verifier(authority: &CertificateDer<'static>) -> Result<Arc<WebPkiServerVerifier>, String> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.clone()).map_err(|error| error.to_string())?;
    WebPkiServerVerifier::builder_with_provider(roots.into(), provider()).build().map_err(|error| error.to_string())
}

fn exists(path: &Path) -> Result<bool, TlsError> {
    path.try_exists().map_err(|why| TlsError::Read { path: path.into(), why })
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|why| TlsError::Read { path: path.into(), why })
}

/// Writes a file that must not exist yet. A key is readable by its owner only.
fn write_new(path: &Path, pem: &str) -> Result<(), TlsError> {
    let mode = if path.extension().is_some_and(|extension| extension == "key") { 0o600 } else { 0o644 };
    let mut options = OpenOptions::new();
    set_mode(options.write(true).create_new(true), mode);
    let written = options.open(path).and_then(|mut file| file.write_all(pem.as_bytes()));
    written.map_err(|why| TlsError::Write { path: path.into(), why })
}

/// Replaces a file atomically, so that a concurrent reader never sees a part of it.
fn replace(path: &Path, pem: &str) -> Result<(), TlsError> {
    let new = path.with_extension(format!("new.{}", path.extension().unwrap_or_default().display()));
    let failed = |why| TlsError::Write { path: path.into(), why };
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    write_new(&new, pem)?;
    fs::rename(&new, path).map_err(failed)
}
