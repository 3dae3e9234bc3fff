//! The load generator, a separate process. It runs a closed loop over persistent TLS connections, sends the same
//! requests as the API server's webhook client, checks every response, and reads the server's CPU time at both ends of
//! the measured window.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_rustls::client::TlsStream;

use crate::payload::{UID, Verdict};
use crate::server::{self, LOAD_CORE};
use crate::{cpu, http, tls};

/// The parameters of one measurement.
#[derive(Clone, Serialize, Deserialize)]
pub struct Order {
    /// The webhook address of the server.
    pub webhook: SocketAddr,
    /// The process of the server, whose CPU time is read.
    pub pid: u32,
    /// The folder with the CA of the server's certificate.
    pub certificate: PathBuf,
    /// The AdmissionReview to send.
    pub review: String,
    /// The verdict of a correct response.
    pub verdict: Verdict,
    /// The number of concurrent connections. Each sends its next review after the response to the previous one.
    pub connections: usize,
    /// How long to send before the measurement.
    pub warm_up: Duration,
    /// The duration of the measurement.
    pub window: Duration,
}

/// The result of one measurement.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Measured {
    /// The number of reviews that were answered inside the window.
    pub answered: usize,
    /// The CPU time of the server per review.
    pub cpu: Duration,
    /// The share of the window in which the server ran.
    pub busy: f64,
    /// The share of the window in which the server was runnable, but its core ran another process.
    pub waited: f64,
    /// The median response time.
    pub median: Duration,
}

/// Executes an order in a separate process on the load core.
pub fn place(order: &Order) -> Result<Measured> {
    let mut command = server::on_core(LOAD_CORE, std::env::current_exe()?);
    let mut child = command.arg("load").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
    let mut stdin = child.stdin.take().expect("stdin is piped");
    stdin.write_all(&serde_json::to_vec(order)?)?;
    drop(stdin);
    let output = child.wait_with_output()?;
    ensure!(output.status.success(), "the load failed");
    Ok(serde_json::from_slice(&output.stdout)?)
}

/// Reads an order from stdin, executes it and prints the result.
pub async fn serve() -> Result<()> {
    let order = serde_json::from_reader(io::stdin().lock())?;
    println!("{}", serde_json::to_string(&measure(&order).await?)?);
    Ok(())
}

/// Sends the review once. Fails if the response is wrong.
pub async fn ask(order: &Order) -> Result<()> {
    Connection::open(order).await?.right_answer(order.verdict).await.map(drop)
}

/// The phase of the measurement, which the connections share.
#[derive(Default)]
struct Phase {
    measuring: AtomicBool,
    over: AtomicBool,
}

async fn measure(order: &Order) -> Result<Measured> {
    let right: Arc<[u8]> = Connection::open(order).await?.right_answer(order.verdict).await?.into();
    let phase = Arc::new(Phase::default());
    let mut connections = JoinSet::new();
    for _ in 0..order.connections {
        connections.spawn(Connection::open(order).await?.converse(right.clone(), phase.clone()));
    }
    let awake = tokio::spawn(stay_awake());
    sleep(order.warm_up).await;
    let (begin, before) = (Instant::now(), cpu::threads(order.pid)?);
    phase.measuring.store(true, Relaxed);
    sleep(order.window).await;
    phase.over.store(true, Relaxed);
    let (window, after) = (begin.elapsed(), cpu::threads(order.pid)?);
    let mut times = Vec::new();
    while let Some(done) = connections.join_next().await {
        times.extend(done??);
    }
    awake.abort();
    summary(times, after.since(&before), window)
}

/// Keeps this process from sleeping while it waits for responses. Otherwise a slow server would pay for waking it at
/// each response, but the baseline, which keeps it busy, would not.
async fn stay_awake() {
    loop {
        tokio::task::yield_now().await;
    }
}

fn summary(mut times: Vec<Duration>, used: cpu::Time, window: Duration) -> Result<Measured> {
    let answered = times.len();
    ensure!(answered > 0, "no review was answered inside the window");
    let (_, median, _) = times.select_nth_unstable(answered / 2);
    Ok(Measured {
        answered,
        cpu: used.ran.div_f64(answered as f64),
        busy: used.ran.div_duration_f64(window),
        waited: used.waited.div_duration_f64(window),
        median: *median,
    })
}

struct Connection {
    stream: TlsStream<TcpStream>,
    request: Vec<u8>,
    buffer: Vec<u8>,
}

impl Connection {
    async fn open(order: &Order) -> Result<Self> {
        let connection = TcpStream::connect(order.webhook).await?;
        let stream = tls::handshake(&tls::connector(&order.certificate)?, connection).await?;
        Ok(Self { stream, request: request(&order.review), buffer: Vec::new() })
    }

    /// Sends the review and returns the body of the response, whose status must be 200.
    async fn exchange(&mut self) -> Result<&[u8]> {
        self.buffer.clear();
        self.stream.write_all(&self.request).await?;
        self.stream.flush().await?;
        let answer =
            http::read(&mut self.stream, &mut self.buffer).await?.context("the server closed the connection")?;
        let head = answer.head(&self.buffer);
        ensure!(head.starts_with(b"HTTP/1.1 200 "), "{}", String::from_utf8_lossy(&self.buffer));
        Ok(answer.body(&self.buffer))
    }

    /// Sends the review and returns its correct response. All responses are identical bytes, so the others are compared
    /// with this one.
    async fn right_answer(mut self, verdict: Verdict) -> Result<Vec<u8>> {
        let body = self.exchange().await?;
        judge(body, verdict)?;
        Ok(body.to_vec())
    }

    /// Sends the review repeatedly until the phase is over. Returns the response times inside the window.
    async fn converse(mut self, right: Arc<[u8]>, phase: Arc<Phase>) -> Result<Vec<Duration>> {
        let mut times = Vec::new();
        loop {
            let sent = Instant::now();
            let body = self.exchange().await?;
            if *body != *right {
                bail!("an answer differs from the first:\n{}", String::from_utf8_lossy(body));
            }
            if phase.over.load(Relaxed) {
                return Ok(times);
            }
            if phase.measuring.load(Relaxed) {
                times.push(sent.elapsed());
            }
        }
    }
}

/// Fails unless the response belongs to our review and has the expected verdict.
fn judge(answer: &[u8], verdict: Verdict) -> Result<()> {
    let review: Value = serde_json::from_slice(answer)?;
    let response = &review["response"];
    let said = match (response["allowed"].as_bool(), response.get("warnings")) {
        (Some(true), None) => Some(Verdict::Clean),
        (Some(false), _) => Some(Verdict::Denied),
        _ => None,
    };
    ensure!(response["uid"] == UID, "the answer is to another review: {review}");
    ensure!(verdict == Verdict::Either || said == Some(verdict), "the answer should be {verdict:?}: {review}");
    Ok(())
}

/// The request of the API server's webhook client.
fn request(review: &str) -> Vec<u8> {
    let head = [
        "POST /validate?timeout=10s HTTP/1.1",
        "Host: portcullis.portcullis-system.svc:443",
        "User-Agent: kube-apiserver-admission",
        &format!("Content-Length: {}", review.len()),
        "Accept: application/json, */*",
        "Content-Type: application/json",
        "Accept-Encoding: gzip",
    ];
    format!("{}\r\n\r\n{review}", head.join("\r\n")).into_bytes()
}
