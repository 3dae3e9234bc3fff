//! The product under measurement: `portcullis serve` over the objects of the bench, in files or in an API server. Only
//! this module depends on its command line, its log and its metrics.

use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::harness::Callee;
use crate::objects::{self, Object};
use crate::server::{SERVER_CORE, Server, on_core};
use crate::tls;

/// The metric of the objects in the index, and the label of Ingresses.
const INDEXED: (&str, &str) = ("portcullis_objects", r#"kind="Ingress""#);
/// The metric of the enabled checks, by action.
const CHECKS: (&str, &str) = ("portcullis_checks", "action=");
/// The metric of the answered reviews, by kind and verdict.
const REVIEWS: (&str, &str) = ("portcullis_reviews_total", "verdict=");
/// The action of checks that do not run.
const NOT_RUN: &str = r#"action="Off""#;

const PROGRAM: &str = env!("CARGO_BIN_EXE_portcullis");
const PATIENCE: Duration = Duration::from_secs(60);

/// A running `portcullis serve`.
pub struct Product {
    /// The process.
    pub server: Server,
    /// The folder of its certificates.
    pub certificate: PathBuf,
    /// The time from its start until it was ready.
    pub start: Duration,
    health: SocketAddr,
    authority: String,
}

/// Figures from the metrics of the product.
pub struct Facts {
    /// The number of Ingresses in the index.
    pub indexed: u64,
    /// The number of enabled checks.
    pub checks: u64,
    /// The number of answered reviews.
    pub reviews: u64,
}

impl Product {
    /// Starts the product on the server core, over files in `folder` with the objects of the bench and `others`, and
    /// waits until it is ready.
    pub fn over_files(folder: &Path, others: impl Iterator<Item = Object>) -> Result<Self> {
        let objects = folder.join("objects");
        fs::create_dir_all(&objects)?;
        write(&objects, objects::rest().chain(others))?;
        let mut command = on_core(SERVER_CORE, PROGRAM);
        command.args(["serve", "--complete", "--objects"]).arg(&objects);
        Self::start(command, folder)
    }

    /// Starts the product for an API server on the same machine, and waits until it is ready.
    pub fn over_cluster(folder: &Path, kubeconfig: &Path) -> Result<Self> {
        let mut command = Command::new(PROGRAM);
        command.args(["serve", "--kubeconfig"]).arg(kubeconfig);
        Self::start(command, folder)
    }

    fn start(mut command: Command, folder: &Path) -> Result<Self> {
        let certificate = folder.join("certs");
        fs::create_dir_all(&certificate)?;
        command.args(["--log-format", "json", "--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0"]);
        command.arg("--cert-dir").arg(&certificate);
        let begin = Instant::now();
        let server = Server::start(command)?;
        let health = server.health.context("its log does not say where its health is")?;
        wait_until_ready(health)?;
        let (start, authority) = (begin.elapsed(), fs::read_to_string(certificate.join(tls::AUTHORITY))?);
        Ok(Self { server, certificate, start, health, authority })
    }

    /// Reads the figures from its metrics.
    pub fn facts(&self) -> Result<Facts> {
        let metrics = get(self.health, "/metrics")?;
        let [indexed, checks, reviews] = [INDEXED, CHECKS, REVIEWS].map(|wanted| sum(&metrics, wanted));
        Ok(Facts { indexed, checks, reviews })
    }
}

impl Callee for Product {
    fn address(&self) -> SocketAddr {
        self.server.webhook
    }

    fn ca_pem(&self) -> &str {
        &self.authority
    }
}

/// Writes the objects as one `List` into `folder`.
fn write(folder: &Path, objects: impl Iterator<Item = Object>) -> Result<()> {
    let mut file = BufWriter::new(File::create(folder.join("cluster.json"))?);
    file.write_all(br#"{"kind":"List","apiVersion":"v1","items":["#)?;
    for (number, object) in objects.enumerate() {
        let comma = if number == 0 { "" } else { "," };
        write!(file, "{comma}{}", object.json)?;
    }
    file.write_all(b"]}\n")?;
    Ok(file.flush()?)
}

fn wait_until_ready(health: SocketAddr) -> Result<()> {
    let begin = Instant::now();
    while let Err(why) = get(health, "/readyz") {
        ensure!(begin.elapsed() < PATIENCE, "not ready after {PATIENCE:?}: {why}");
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// The body of a plain HTTP response, whose status must be 200.
fn get(address: SocketAddr, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    ensure!(answer.starts_with("HTTP/1.1 200 "), "{path} answers {answer}");
    let (_, body) = answer.split_once("\r\n\r\n").context("an answer without an end of its head")?;
    Ok(body.to_owned())
}

/// The sum of one metric over the series with this label.
pub fn sum(metrics: &str, (name, label): (&str, &str)) -> u64 {
    let series = metrics.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('{'));
    let wanted = series.filter(|rest| rest.contains(label) && !rest.contains(NOT_RUN));
    wanted.filter_map(|rest| rest.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}
