//! The load: a closed loop over kept-alive TLS connections from a process of its own, which sends what the API server's
//! webhook client sends, looks at every answer, and reads the server's CPU time at both ends of the same window.

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

/// What is to be sent where, and for how long.
#[derive(Clone, Serialize, Deserialize)]
pub struct Order {
    /// Where the server takes reviews.
    pub webhook: SocketAddr,
    /// The server's process, whose CPU time is read.
    pub pid: u32,
    /// The folder with the authority of its certificate.
    pub certificate: PathBuf,
    /// The AdmissionReview.
    pub review: String,
    /// What a right answer says.
    pub verdict: Verdict,
    /// How many connections send at once, each its next review when the last is answered.
    pub connections: usize,
    /// How long to send before measuring.
    pub warm_up: Duration,
    /// How long to measure.
    pub window: Duration,
}

/// What one order measured.
#[derive(Clone, Copy, Serialize, Deserialize)]
pub struct Measured {
    /// How many reviews were answered inside the window.
    pub answered: usize,
    /// The server's CPU time for one review.
    pub cpu: Duration,
    /// The share of the window in which the server ran.
    pub busy: f64,
    /// The share of the window in which it could have run, but its core ran something else.
    pub waited: f64,
    /// Half of the answers took at most so long.
    pub median: Duration,
}

/// Has an order carried out by a process of its own on the load's core.
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

/// Carries out the order on stdin and prints what was measured.
pub async fn serve() -> Result<()> {
    let order = serde_json::from_reader(io::stdin().lock())?;
    println!("{}", serde_json::to_string(&measure(&order).await?)?);
    Ok(())
}

/// Asks once and says whether the answer is right: what it should say, and what it said.
pub async fn ask(order: &Order) -> Result<()> {
    Connection::open(order).await?.right_answer(order.verdict).await.map(drop)
}

/// What the connections share.
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

/// Keeps this process from sleeping while no answer is there: a slow server would pay for waking it at each answer, and the floor, which
/// keeps it busy, would not.
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

    /// Sends the review and gives the body of an answer whose status is 200.
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

    /// The one right answer: reviews are answered alike to the byte, so all others are compared with it.
    async fn right_answer(mut self, verdict: Verdict) -> Result<Vec<u8>> {
        let body = self.exchange().await?;
        judge(body, verdict)?;
        Ok(body.to_vec())
    }

    /// Sends the review until the phase is over; how long each answer inside the window took.
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

/// Whether the answer is to our review and says what it should.
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
