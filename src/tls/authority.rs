//! A certificate authority for development, in a directory, and a leaf that it signs.
//!
//! What is there is reused, so that `curl --cacert` and an API server that trust the authority today trust it tomorrow.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
};
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};

use super::{KeyPairFiles, Pair, TlsError, provider};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// An authority that somebody has told an API server to trust should not end before the project does.
const AUTHORITY_LIFE: Duration = Duration::from_secs(10 * 365 * 24 * 60 * 60);
/// Below the 398 days that strict clients accept.
const LEAF_LIFE: Duration = Duration::from_secs(365 * 24 * 60 * 60);
/// Certificates begin this long ago, for clients whose clock is behind.
const CLOCK_SKEW: Duration = Duration::from_secs(60 * 60);
/// What a leaf is good for wherever it is served.
const LOCAL_NAMES: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// Where the files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The authority's certificate: what clients must trust.
    pub ca_certificate: PathBuf,
    /// The authority's key, readable by its owner only.
    pub ca_key: PathBuf,
    /// The leaf: what the server shows.
    pub certificate: PathBuf,
    /// The leaf's key, readable by its owner only.
    pub key: PathBuf,
}

/// Where a client's certificate and its key are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientPaths {
    /// The certificate: what the client shows.
    pub certificate: PathBuf,
    /// Its key, readable by its owner only.
    pub key: PathBuf,
}

impl Paths {
    /// The four files of the authority in `dir`.
    pub fn of(dir: &Path) -> Self {
        Self {
            ca_certificate: dir.join("ca.crt"),
            ca_key: dir.join("ca.key"),
            certificate: dir.join("tls.crt"),
            key: dir.join("tls.key"),
        }
    }
}

/// An authority in `dir` and a leaf of it for this machine's local names and `names`, made where they are missing. The
/// leaf is issued anew when it has less than a day to live, lacks a name, or is of another authority; the authority never
/// is, since somebody may trust it.
pub fn ensure(dir: &Path, names: &[String]) -> Result<Paths, TlsError> {
    let paths = Paths::of(dir);
    let names = server_names(names)?;
    fs::create_dir_all(dir).map_err(|source| TlsError::Write { path: dir.into(), source })?;
    if !exists(&paths.ca_certificate)? && !exists(&paths.ca_key)? {
        create(&paths)?;
    }
    let authority = Authority::open(dir, &paths)?;
    if !authority.vouches_for(&paths, &names) {
        authority.issue(&paths, &names)?;
    }
    Ok(paths)
}

/// A client certificate of the authority in `dir` for `name`, for an API server of development that must show one; made
/// anew each time, since nobody has to trust it.
pub fn issue_client(dir: &Path, name: &str) -> Result<ClientPaths, TlsError> {
    let paths = ClientPaths { certificate: dir.join("client.crt"), key: dir.join("client.key") };
    let authority = Authority::open(dir, &Paths::of(dir))?;
    let mut leaf = CertificateParams::default();
    leaf.distinguished_name.push(DnType::CommonName, name);
    authority.sign(leaf, ExtendedKeyUsagePurpose::ClientAuth, &paths.certificate, &paths.key)?;
    Ok(paths)
}

/// The local names and `names`, each a name that a certificate can carry.
fn server_names(names: &[String]) -> Result<Vec<ServerName<'static>>, TlsError> {
    let names = LOCAL_NAMES.into_iter().chain(names.iter().map(String::as_str));
    names.map(|name| ServerName::try_from(name.to_owned()).map_err(|_| TlsError::Name { name: name.into() })).collect()
}

/// The authority as it is on disk.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    verifier: Arc<WebPkiServerVerifier>,
}

impl Authority {
    /// Reads the authority and makes sure that it can sign: its files are a pair, and it has not expired.
    fn open(dir: &Path, paths: &Paths) -> Result<Self, TlsError> {
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

    /// Whether the leaf on disk is ours, a pair with its key, and good for every name tomorrow still.
    fn vouches_for(&self, paths: &Paths, names: &[ServerName<'static>]) -> bool {
        let (Ok(certificate), Ok(key)) = (read(&paths.certificate), read(&paths.key)) else { return false };
        let Ok(pair) = Pair::parse(&KeyPairFiles { certificate, key }, &paths.certificate, &paths.key) else {
            return false;
        };
        let [leaf, chain @ ..] = pair.key.cert.as_slice() else { return false };
        let tomorrow = UnixTime::since_unix_epoch(Duration::from_secs(UnixTime::now().as_secs()) + DAY);
        names.iter().all(|name| self.verifier.verify_server_cert(leaf, chain, name, &[], tomorrow).is_ok())
    }

    fn issue(&self, paths: &Paths, names: &[ServerName<'static>]) -> Result<(), TlsError> {
        let names: Vec<String> = names.iter().map(|name| name.to_str().into_owned()).collect();
        let mut leaf = CertificateParams::new(names)?;
        leaf.distinguished_name.push(DnType::CommonName, "portcullis");
        self.sign(leaf, ExtendedKeyUsagePurpose::ServerAuth, &paths.certificate, &paths.key)
    }

    /// Signs `leaf` for this usage and writes it with a new key.
    fn sign(
        &self,
        mut leaf: CertificateParams,
        usage: ExtendedKeyUsagePurpose,
        certificate: &Path,
        key: &Path,
    ) -> Result<(), TlsError> {
        let pair = KeyPair::generate()?;
        leaf.extended_key_usages = vec![usage];
        leaf.use_authority_key_identifier_extension = true;
        live(&mut leaf, LEAF_LIFE);
        let signed = leaf.signed_by(&pair, &self.issuer)?;
        replace(key, &pair.serialize_pem())?;
        replace(certificate, &signed.pem())
    }
}

/// A new authority. The key is written first: a certificate without a key is what somebody might come to trust.
fn create(paths: &Paths) -> Result<(), TlsError> {
    let key = KeyPair::generate()?;
    let mut ca = CertificateParams::default();
    ca.distinguished_name.push(DnType::CommonName, "Portcullis development authority");
    ca.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    ca.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    live(&mut ca, AUTHORITY_LIFE);
    let certificate = ca.self_signed(&key)?;
    write_new(&paths.ca_key, &key.serialize_pem())?;
    write_new(&paths.ca_certificate, &certificate.pem())
}

fn live(certificate: &mut CertificateParams, life: Duration) {
    let now = SystemTime::now();
    certificate.not_before = (now - CLOCK_SKEW).into();
    certificate.not_after = (now + life).into();
}

fn verifier(authority: &CertificateDer<'static>) -> Result<Arc<WebPkiServerVerifier>, String> {
    let mut roots = RootCertStore::empty();
    roots.add(authority.clone()).map_err(|error| error.to_string())?;
    WebPkiServerVerifier::builder_with_provider(roots.into(), provider()).build().map_err(|error| error.to_string())
}

fn exists(path: &Path) -> Result<bool, TlsError> {
    path.try_exists().map_err(|source| TlsError::Read { path: path.into(), source })
}

fn read(path: &Path) -> Result<Vec<u8>, TlsError> {
    fs::read(path).map_err(|source| TlsError::Read { path: path.into(), source })
}

/// Writes a file that must not be there yet, readable by its owner only if it is a key.
fn write_new(path: &Path, pem: &str) -> Result<(), TlsError> {
    let mode = if path.extension().is_some_and(|extension| extension == "key") { 0o600 } else { 0o644 };
    let write = || -> io::Result<()> {
        OpenOptions::new().write(true).create_new(true).mode(mode).open(path)?.write_all(pem.as_bytes())
    };
    write().map_err(|source| TlsError::Write { path: path.into(), source })
}

/// Puts a whole file in the place of another, so that whoever reads meanwhile never sees half of it.
fn replace(path: &Path, pem: &str) -> Result<(), TlsError> {
    let new = path.with_extension(format!("new.{}", path.extension().unwrap_or_default().display()));
    let failed = |source| TlsError::Write { path: path.into(), source };
    match fs::remove_file(&new) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    write_new(&new, pem)?;
    fs::rename(&new, path).map_err(failed)
}
