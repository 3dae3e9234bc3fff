//! Certificates in files are replaced twenty times under a steady stream of reviews: `just soak-server`.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::env;
use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::time::{Duration, Instant};

use libtest_mimic::{Completion, Failed, Trial};
use portcullis::tls::Files;
use portcullis::tls::authority::{CertificatePaths, ensure};
use rustls::ClientConfig;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::time::{MissedTickBehavior, interval, sleep};

use crate::e2e::report::{figure, seconds};
use crate::harness::{PortcullisServer, process_guard};
use crate::reviews;
use crate::test_server::{answer, handshake, post, trust};
use crate::tls::Mount;

const ROTATIONS: usize = 20;
const REVIEWS: usize = 300_000;
/// The connections that last, each with a review every 20 ms: 1,000 a second.
const CONNECTIONS: usize = 20;
const PERIOD: Duration = Duration::from_millis(20);
/// How often another connection is made, for one review.
const NEW: Duration = Duration::from_millis(50);
/// How long it may take until a changed file is served: the period in which it is read, and what a busy machine needs.
const NOTICED: Duration = Duration::from_secs(Files::INTERVAL.as_secs() + 3);

pub fn trials() -> Vec<Trial> {
    vec![Trial::ignorable_test("rotation::slow::of_certificates_in_files", of_certificates_in_files)]
}

/// Takes five minutes, so it runs only with `PORTCULLIS_SLOW=1`. `PORTCULLIS_BIN` names another build than the debug build.
fn of_certificates_in_files() -> Result<Completion, Failed> {
    if env::var_os("PORTCULLIS_SLOW").is_none() {
        return Ok(Completion::ignored());
    }
    let folder = process_guard().folder("rotation");
    let pair = |number: usize| ensure(&folder.join(number.to_string()), &[]).unwrap();
    let pairs: Vec<CertificatePaths> = (0..=ROTATIONS).map(pair).collect();
    let mount = Mount::new(&folder.join("mount"), &pairs[0]);
    let flag = |name: &str, file: &str| format!("--{name}={}", mount.path().join(file).display());
    let objects = format!("--objects={}", process_guard().folder("objects").display());
    let args = [objects, flag("tls-cert", "tls.crt"), flag("tls-key", "tls.key")];
    let server = PortcullisServer::with_certificate(args, &pairs[0].ca_certificate).ready();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(rotate(server.webhook, &mount, &pairs));
    Ok(Completion::Completed)
}

/// What became of the reviews.
#[derive(Default)]
struct Counts {
    is_over: AtomicBool,
    sent: AtomicUsize,
    connections: AtomicUsize,
    failed: AtomicUsize,
}

async fn rotate(address: SocketAddr, mount: &Mount, pairs: &[CertificatePaths]) {
    let trust = trust(&pairs.iter().map(|pair| pair.ca_certificate.as_path()).collect::<Vec<_>>());
    let (counts, since) = (Arc::new(Counts::default()), Instant::now());
    let mut lasting = Vec::new();
    for _ in 0..CONNECTIONS {
        lasting.push(tokio::spawn(review_over_one(address, trust.clone(), counts.clone())));
    }
    let others = tokio::spawn(review_over_many(address, trust.clone(), counts.clone()));
    let mut longest = Duration::ZERO;
    for (number, pair) in pairs.iter().enumerate().skip(1) {
        let before = leaf(&pairs[number - 1]);
        match number % 3 {
            0 => mount.swap(&format!("..{number}"), pair),
            1 => overwrite(mount.path(), pair),
            _ => {
                write_half(mount.path(), pair);
                sleep(NOTICED).await;
                assert_eq!(served(address, &trust).await, before, "half a certificate is not served");
                overwrite(mount.path(), pair);
            }
        }
        let changed = Instant::now();
        while served(address, &trust).await != leaf(pair) {
            assert!(changed.elapsed() < NOTICED, "rotation {number} is not noticed");
            sleep(NEW).await;
        }
        longest = longest.max(changed.elapsed());
    }
    while counts.sent.load(Relaxed) < REVIEWS {
        sleep(NEW).await;
    }
    counts.is_over.store(true, Relaxed);
    for task in lasting.into_iter().chain([others]) {
        task.await.unwrap();
    }
    report(&counts, since.elapsed(), longest);
}

fn report(counts: &Counts, lasted: Duration, longest: Duration) {
    let [sent, connections, failed] =
        [&counts.sent, &counts.connections, &counts.failed].map(|count| count.load(Relaxed));
    let rate = sent as f64 / lasted.as_secs_f64();
    let what = format!(
        "{ROTATIONS} certificates in files replaced: reviews over {CONNECTIONS} old and {connections} new connections"
    );
    figure(&what, "0 failed", format!("{failed} of {sent} failed ({rate:.0} a second)"));
    figure("the same: a new connection gets the new certificate", &seconds(NOTICED), seconds(longest));
    assert_eq!(failed, 0);
}

/// Reviews over one connection, which must last.
async fn review_over_one(address: SocketAddr, trust: Arc<ClientConfig>, counts: Arc<Counts>) {
    let mut stream = handshake(address, trust).await.unwrap();
    let mut ticks = interval(PERIOD);
    // What was missed is not made up for, so that a pause causes no burst.
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while !counts.is_over.load(Relaxed) {
        ticks.tick().await;
        review(&mut stream, &counts).await;
    }
}

/// Reviews over one new connection after another.
async fn review_over_many(address: SocketAddr, trust: Arc<ClientConfig>, counts: Arc<Counts>) {
    while !counts.is_over.load(Relaxed) {
        counts.connections.fetch_add(1, Relaxed);
        match handshake(address, trust.clone()).await {
            Ok(mut stream) => review(&mut stream, &counts).await,
            Err(_) => drop(counts.failed.fetch_add(1, Relaxed)),
        }
        sleep(NEW).await;
    }
}

/// Sends a review, which must be admitted.
async fn review<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, counts: &Counts) {
    counts.sent.fetch_add(1, Relaxed);
    let body = reviews::create(&reviews::ingress("team-b", "write", "shop.example.com", "/"));
    let is_sent = stream.write_all(&post("/validate", body.as_bytes())).await.is_ok() && stream.flush().await.is_ok();
    let answer = if is_sent { answer(stream).await } else { None };
    let is_admitted = answer.is_some_and(|answer| answer.status == 200 && answer.body.contains(r#""allowed":true"#));
    counts.failed.fetch_add(usize::from(!is_admitted), Relaxed);
}

/// The certificate that a new connection gets.
async fn served(address: SocketAddr, trust: &Arc<ClientConfig>) -> CertificateDer<'static> {
    let stream = handshake(address, trust.clone()).await.unwrap();
    stream.get_ref().1.peer_certificates().unwrap()[0].clone().into_owned()
}

fn leaf(pair: &CertificatePaths) -> CertificateDer<'static> {
    CertificateDer::from_pem_file(&pair.certificate).unwrap()
}

/// Writes both files in place, one after the other.
fn overwrite(folder: &Path, pair: &CertificatePaths) {
    fs::write(folder.join("tls.crt"), fs::read(&pair.certificate).unwrap()).unwrap();
    fs::write(folder.join("tls.key"), fs::read(&pair.key).unwrap()).unwrap();
}

/// Writes the first half of a certificate in place.
fn write_half(folder: &Path, pair: &CertificatePaths) {
    let whole = fs::read(&pair.certificate).unwrap();
    fs::write(folder.join("tls.crt"), &whole[..whole.len() / 2]).unwrap();
}
