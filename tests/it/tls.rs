//! Certificates on disk: they are served, replaced with open connections, kept if the new one is invalid, and issued.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::routing::post as on_post;
use jiff::{SignedDuration, Timestamp};
use libtest_mimic::Trial;
use portcullis::server::Transport;
use portcullis::tls::authority::{CertificatePaths, ensure};
use portcullis::tls::{CertificateSource, Files, ServerCertificate, TlsError, server_config};
use rcgen::{CertificateParams, Issuer, KeyPair};
use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

use crate::harness::PortcullisServer;
use crate::test_server::{NEVER, PATIENCE, exchange, handshake, limits, post, serve, trial, trust};

const OFTEN: Duration = Duration::from_millis(20);

pub fn trials() -> Vec<Trial> {
    vec![
        trial("tls::a_mounted_secret_is_renewed_twice", a_mounted_secret_is_renewed_twice),
        trial("tls::a_broken_successor_is_not_used", a_broken_successor_is_not_used),
        trial(
            "tls::unusable_certificate_at_start_is_reported_with_a_fix",
            unusable_certificate_at_start_is_reported_with_a_fix,
        ),
        trial("tls::health_follows_the_dates", health_follows_the_dates),
        Trial::test("tls::an_expired_certificate_at_start_is_logged", || {
            an_expired_certificate_at_start_is_logged();
            Ok(())
        }),
        trial("tls::only_protocols_of_the_api_server_are_accepted", only_protocols_of_the_api_server_are_accepted),
        trial("tls::an_authority_is_made_once", an_authority_is_made_once),
        trial("tls::a_leaf_that_does_not_serve_is_replaced", a_leaf_that_does_not_serve_is_replaced),
        trial("tls::an_unusable_authority_is_never_replaced", an_unusable_authority_is_never_replaced),
    ]
}

/// Three CAs, each with a serving certificate, to distinguish the certificates.
struct Certificates {
    dir: TempDir,
    pairs: Vec<CertificatePaths>,
}

impl Certificates {
    fn make() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let pairs = ["a", "b", "c"].map(|name| ensure(&dir.path().join(name), &[]).unwrap()).into();
        Self { dir, pairs }
    }

    fn trust(&self) -> Arc<ClientConfig> {
        trust(&self.pairs.iter().map(|paths| paths.ca_certificate.as_path()).collect::<Vec<_>>())
    }

    fn leaf(&self, number: usize) -> CertificateDer<'static> {
        CertificateDer::from_pem_file(&self.pairs[number].certificate).unwrap()
    }
}

/// A mounted Secret as the kubelet creates it: the files are links through `..data`, which is a link to a directory.
pub struct Mount(PathBuf);

impl Mount {
    pub fn new(dir: &Path, pair: &CertificatePaths) -> Self {
        fs::create_dir(dir).unwrap();
        let mount = Self(dir.into());
        mount.swap("..0", pair);
        for name in ["tls.crt", "tls.key"] {
            symlink(Path::new("..data").join(name), dir.join(name)).unwrap();
        }
        mount
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a new directory, replaces the link `..data` by rename, and removes the old directory.
    pub fn swap(&self, version: &str, pair: &CertificatePaths) {
        let old = fs::read_link(self.0.join("..data"));
        let new = self.0.join(version);
        fs::create_dir(&new).unwrap();
        fs::copy(&pair.certificate, new.join("tls.crt")).unwrap();
        fs::copy(&pair.key, new.join("tls.key")).unwrap();
        symlink(version, self.0.join("..data_tmp")).unwrap();
        fs::rename(self.0.join("..data_tmp"), self.0.join("..data")).unwrap();
        if let Ok(old) = old {
            fs::remove_dir_all(self.0.join(old)).unwrap();
        }
    }
}

/// Serves the pair in `dir`, which is read at short intervals.
async fn serve_files(dir: &Path) -> (SocketAddr, Arc<ServerCertificate>) {
    let files = Files::open(dir.join("tls.crt"), dir.join("tls.key"), OFTEN).await.unwrap();
    let certificate = files.certificate();
    tokio::spawn(async move { files.start().await });
    let router = Router::new().route("/", on_post(async || "hello"));
    // The server runs as long as the runtime of the test.
    let (address, ..) = serve(router, Transport::from(server_config(certificate.clone())), limits()).await;
    (address, certificate)
}

async fn connect(address: SocketAddr, trust: &Arc<ClientConfig>) -> (TlsStream<TcpStream>, CertificateDer<'static>) {
    let stream = handshake(address, trust.clone()).await.unwrap();
    let shown = stream.get_ref().1.peer_certificates().unwrap()[0].clone().into_owned();
    (stream, shown)
}

/// Waits until `done` returns `true`. Otherwise fails with `what` as the message.
async fn until(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let since = Instant::now();
    while !done().await {
        assert!(since.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(OFTEN).await;
    }
}

async fn a_mounted_secret_is_renewed_twice() {
    let certificates = Certificates::make();
    let mount = Mount::new(&certificates.dir.path().join("mount"), &certificates.pairs[0]);
    let (address, _) = serve_files(&mount.0).await;
    let trust = certificates.trust();
    let (mut old, shown) = connect(address, &trust).await;
    assert_eq!(shown, certificates.leaf(0));

    for (number, version) in [(1, "..1"), (2, "..2")] {
        mount.swap(version, &certificates.pairs[number]);
        until("new connections see the new certificate", async || {
            connect(address, &trust).await.1 == certificates.leaf(number)
        })
        .await;
        assert_eq!(exchange(&mut old, &post("/", b"{}")).await, "200: hello", "old connections stay");
    }
}

async fn a_broken_successor_is_not_used() {
    let certificates = Certificates::make();
    let dir = certificates.dir.path().join("plain");
    fs::create_dir(&dir).unwrap();
    let copy = |from: &Path, to: &str| fs::write(dir.join(to), fs::read(from).unwrap()).unwrap();
    copy(&certificates.pairs[0].certificate, "tls.crt");
    copy(&certificates.pairs[0].key, "tls.key");
    let (address, certificate) = serve_files(&dir).await;
    let trust = certificates.trust();
    let says =
        |part: &str| certificate.healthy(Timestamp::now()).unwrap().is_some_and(|message| message.contains(part));
    assert_eq!(certificate.healthy(Timestamp::now()), Ok(None));

    let whole = fs::read(&certificates.pairs[1].certificate).unwrap();
    fs::write(dir.join("tls.crt"), &whole[..whole.len() / 2]).unwrap();
    until("half a certificate is noticed", async || says("is not a chain of PEM certificates")).await;
    assert_eq!(connect(address, &trust).await.1, certificates.leaf(0));

    fs::write(dir.join("tls.crt"), &whole).unwrap();
    until("a certificate without its key is noticed", async || says("does not belong to the certificate")).await;
    assert_eq!(connect(address, &trust).await.1, certificates.leaf(0));

    fs::remove_file(dir.join("tls.key")).unwrap();
    until("a missing key is noticed", async || says("cannot be read")).await;
    assert_eq!(connect(address, &trust).await.1, certificates.leaf(0));

    copy(&certificates.pairs[1].key, "tls.key");
    until("a whole pair is used", async || connect(address, &trust).await.1 == certificates.leaf(1)).await;
    assert_eq!(certificate.healthy(Timestamp::now()), Ok(None));
}

async fn unusable_certificate_at_start_is_reported_with_a_fix() {
    let certificates = Certificates::make();
    let [a, b] = [&certificates.pairs[0], &certificates.pairs[1]];
    let open = async |certificate: &Path, key: &Path| match Files::open(certificate.into(), key.into(), NEVER).await {
        Ok(_) => panic!("this pair cannot serve"),
        // With its causes, as the program prints it.
        Err(error) => {
            format!("{:#}", anyhow::Error::from(error)).replace(certificates.dir.path().to_str().unwrap(), "")
        }
    };
    assert_eq!(
        open(Path::new("/nowhere/tls.crt"), &a.key).await,
        "/nowhere/tls.crt cannot be read (No such file or directory (os error 2)): name a readable PEM file"
    );
    assert_eq!(open(&a.key, &a.key).await, "/a/tls.key is not a chain of PEM certificates (no items found)");
    assert_eq!(open(&a.certificate, &a.certificate).await, "/a/tls.crt is not a private key in PEM (no items found)");
    let mismatch = open(&a.certificate, &b.key).await;
    let expected = "the key /b/tls.key does not belong to the certificate /a/tls.crt: use both files of one pair";
    assert_eq!(mismatch, expected);
}

async fn health_follows_the_dates() {
    let dir = tempfile::tempdir().unwrap();
    let paths = ensure(dir.path(), &[]).unwrap();
    let files = Files::open(paths.certificate, paths.key, NEVER).await.unwrap();
    let end = files.certificate().not_after().unwrap();
    let second = SignedDuration::from_secs(1);
    assert_eq!(files.healthy(end), Ok(None));
    assert_eq!(files.healthy(end + second), Err(format!("expired at {end}; `portcullis disarm` stops enforcement")));
    let before = files.healthy(Timestamp::UNIX_EPOCH).unwrap_err();
    assert!(before.starts_with("not valid before "), "{before}");
}

fn an_expired_certificate_at_start_is_logged() {
    let (certificates, objects) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let paths = ensure(certificates.path(), &[]).unwrap();
    issue_until(&paths, "portcullis.portcullis.svc", Timestamp::now() - SignedDuration::from_hours(1));
    let class =
        "apiVersion: networking.k8s.io/v1\nkind: IngressClass\nmetadata: {name: public}\nspec: {controller: a/b}\n";
    fs::write(objects.path().join("class.yaml"), class).unwrap();
    let [objects, certificate, key] = [objects.path(), &paths.certificate, &paths.key];
    let args = [Path::new("--objects"), objects, Path::new("--tls-cert"), certificate, Path::new("--tls-key"), key];
    let server = PortcullisServer::with_certificate(args, &paths.ca_certificate);
    let line = server.logs("clients do not accept the certificate");
    assert!(line["fields"]["problem"].to_string().contains("expired at "), "{line}");
}

async fn only_protocols_of_the_api_server_are_accepted() {
    let certificates = Certificates::make();
    let (address, _) = serve_files(certificates.pairs[0].certificate.parent().unwrap()).await;
    let trust = certificates.trust();

    let (mut stream, _) = connect(address, &trust).await;
    assert_eq!(exchange(&mut stream, &post("/", b"{}")).await, "200: hello");
    let session = stream.get_ref().1;
    assert_eq!(session.alpn_protocol(), Some(&b"http/1.1"[..]));
    assert_eq!(session.tls13_tickets_received(), 0);

    let mut http2 = ClientConfig::clone(&trust);
    http2.alpn_protocols = vec![b"h2".to_vec()];
    let refused = handshake(address, http2.into()).await.unwrap_err();
    assert!(refused.to_string().contains("NoApplicationProtocol"), "{refused}");

    let mut silent = ClientConfig::clone(&trust);
    silent.alpn_protocols.clear();
    let (mut stream, _) = connect(address, &Arc::new(silent)).await;
    assert_eq!(exchange(&mut stream, &post("/", b"{}")).await, "200: hello");
}

async fn an_authority_is_made_once() {
    let dir = tempfile::tempdir().unwrap();
    let names = ["portcullis.portcullis.svc".to_owned()];
    let paths = ensure(dir.path(), &names).unwrap();
    for key in [&paths.ca_key, &paths.key] {
        assert_eq!(fs::metadata(key).unwrap().permissions().mode() & 0o777, 0o600, "{}", key.display());
    }
    let before = contents(&paths);
    assert_eq!(ensure(dir.path(), &names).unwrap(), paths);
    assert_eq!(ensure(dir.path(), &[]).unwrap(), paths, "fewer names are no reason");
    assert_eq!(contents(&paths), before);
}

async fn a_leaf_that_does_not_serve_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let paths = ensure(dir.path(), &[]).unwrap();
    let other = ensure(elsewhere.path(), &[]).unwrap();
    let authority = contents(&paths)[..2].to_vec();
    let name = "portcullis.portcullis.svc".to_owned();

    let spoil: [(&str, &dyn Fn()); 4] = [
        ("lacks a name", &|| {}),
        ("ends within a day", &|| issue_until(&paths, &name, Timestamp::now() + SignedDuration::from_hours(23))),
        ("is of another authority", &|| {
            fs::copy(&other.certificate, &paths.certificate).unwrap();
            fs::copy(&other.key, &paths.key).unwrap();
        }),
        ("is not a certificate", &|| fs::write(&paths.certificate, "nothing").unwrap()),
    ];
    for (why, spoil) in spoil {
        spoil();
        let before = contents(&paths);
        ensure(dir.path(), std::slice::from_ref(&name)).unwrap();
        let after = contents(&paths);
        assert_ne!(after[2..], before[2..], "a leaf that {why} is replaced");
        assert_eq!(after[..2], authority, "the authority stays");
        assert_eq!(fs::metadata(&paths.key).unwrap().permissions().mode() & 0o777, 0o600);
        ensure(dir.path(), std::slice::from_ref(&name)).unwrap();
        assert_eq!(contents(&paths), after, "and the new one is kept");
    }
    let bad = ensure(dir.path(), &["not a name".to_owned()]).unwrap_err();
    assert_eq!(bad.to_string(), "\"not a name\" is not a DNS name or an IP address");
}

async fn an_unusable_authority_is_never_replaced() {
    let elsewhere = tempfile::tempdir().unwrap();
    let other = ensure(elsewhere.path(), &[]).unwrap();
    let noise = |path: &Path| fs::write(path, "noise").unwrap();
    refuses("its certificate is noise", |paths| noise(&paths.ca_certificate));
    refuses("its key is noise", |paths| noise(&paths.ca_key));
    refuses("its certificate is missing", |paths| fs::remove_file(&paths.ca_certificate).unwrap());
    refuses("its key is missing", |paths| fs::remove_file(&paths.ca_key).unwrap());
    refuses("its key is another's", |paths| fs::copy(&other.ca_key, &paths.ca_key).map(drop).unwrap());
}

/// Makes a valid CA unusable, and verifies that it is neither used nor changed.
fn refuses(why: &str, spoil: impl FnOnce(&CertificatePaths)) {
    let dir = tempfile::tempdir().unwrap();
    let paths = ensure(dir.path(), &[]).unwrap();
    spoil(&paths);
    let before = contents(&paths);
    let error = ensure(dir.path(), &["portcullis.portcullis.svc".to_owned()]).unwrap_err();
    assert!(matches!(error, TlsError::Authority { .. }), "{why}: {error}");
    assert_eq!(contents(&paths), before, "{why}");
}

/// Issues a serving certificate that expires at `end`, with the CA in `paths`.
fn issue_until(paths: &CertificatePaths, name: &str, end: Timestamp) {
    let ca_key = KeyPair::from_pem(&fs::read_to_string(&paths.ca_key).unwrap()).unwrap();
    let issuer = Issuer::from_ca_cert_pem(&fs::read_to_string(&paths.ca_certificate).unwrap(), ca_key).unwrap();
    let key = KeyPair::generate().unwrap();
    let names = ["localhost", "127.0.0.1", "::1", name].map(str::to_owned);
    let mut leaf = CertificateParams::new(names).unwrap();
    leaf.not_after = std::time::SystemTime::from(end).into();
    let certificate = leaf.signed_by(&key, &issuer).unwrap();
    fs::write(&paths.certificate, certificate.pem()).unwrap();
    fs::write(&paths.key, key.serialize_pem()).unwrap();
}

/// The certificate and the key of the CA, then those of the serving certificate. A missing file is empty.
fn contents(paths: &CertificatePaths) -> Vec<Vec<u8>> {
    [&paths.ca_certificate, &paths.ca_key, &paths.certificate, &paths.key]
        .map(|path| fs::read(path).unwrap_or_default())
        .into()
}
