//! The product under measurement: `portcullis serve` without a cluster, over the objects of the bench. All that the bench
//! knows of its command line, its log and its metrics stands here.

use std::fs;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use crate::objects;
use crate::server::{SERVER_CORE, Server, on_core};

/// How many Ingresses the index holds, by kind.
const INDEXED: (&str, &str) = ("portcullis_objects", r#"kind="Ingress""#);
/// How many checks are enabled, by action.
const CHECKS: (&str, &str) = ("portcullis_checks", "action=");
/// An action that is none.
const NOT_RUN: &str = r#"action="Off""#;

const PATIENCE: Duration = Duration::from_secs(60);

/// A running `portcullis serve`.
pub struct Product {
    /// Its process.
    pub server: Server,
    /// Where it left its certificate.
    pub certificate: PathBuf,
    /// How long it took from its start until it was ready.
    pub start: Duration,
    health: SocketAddr,
}

/// What the product says of itself.
pub struct Facts {
    /// Ingresses in the index.
    pub indexed: u64,
    /// Enabled checks.
    pub checks: u64,
}

impl Product {
    /// Starts it in `folder` over so many Ingresses, with the default configuration, and waits until it is ready.
    pub fn start(folder: &Path, ingresses: usize) -> Result<Self> {
        let (objects, certificate) = (folder.join("objects"), folder.join("certs"));
        fs::create_dir_all(&objects)?;
        fs::create_dir_all(&certificate)?;
        objects::write(&objects, ingresses)?;
        let mut command = on_core(SERVER_CORE, env!("CARGO_BIN_EXE_portcullis"));
        command.args(["serve", "--complete", "--log-format", "json"]);
        command.args(["--listen", "127.0.0.1:0", "--health-listen", "127.0.0.1:0"]);
        command.arg("--objects").arg(&objects).arg("--cert-dir").arg(&certificate);
        let begin = Instant::now();
        let server = Server::start(command)?;
        let health = server.health.context("its log does not say where its health is")?;
        wait_until_ready(health)?;
        Ok(Self { server, certificate, start: begin.elapsed(), health })
    }

    /// What its metrics say.
    pub fn facts(&self) -> Result<Facts> {
        let metrics = get(self.health, "/metrics")?;
        Ok(Facts { indexed: sum(&metrics, INDEXED), checks: sum(&metrics, CHECKS) })
    }
}

fn wait_until_ready(health: SocketAddr) -> Result<()> {
    let begin = Instant::now();
    while let Err(why) = get(health, "/readyz") {
        ensure!(begin.elapsed() < PATIENCE, "not ready after {PATIENCE:?}: {why}");
        std::thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

/// The body of a plain HTTP answer whose status is 200.
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
fn sum(metrics: &str, (name, label): (&str, &str)) -> u64 {
    let series = metrics.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix('{'));
    let wanted = series.filter(|rest| rest.contains(label) && !rest.contains(NOT_RUN));
    wanted.filter_map(|rest| rest.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}
