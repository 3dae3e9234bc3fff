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

use anyhow::{Result, bail, ensure};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;
use tokio::time::sleep;

use crate::connection::{Connection, Target};
use crate::cpu;
use crate::payload::Verdict;
use crate::server::{self, LOAD_CORE};

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

impl Order {
    fn target(&self) -> Result<Target> {
        Target::new(self.webhook, &self.certificate, &self.review)
    }
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
    in_own_process("load", order)
}

/// Starts this program in another role on the load core, with its order on stdin, and returns the result that it prints.
pub fn in_own_process<T: DeserializeOwned>(role: &str, order: &impl Serialize) -> Result<T> {
    let mut command = server::on_core(LOAD_CORE, std::env::current_exe()?);
    let mut child = command.arg(role).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
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
    order.target()?.right_answer(order.verdict).await.map(drop)
}

/// The phase of the measurement, which the connections share.
#[derive(Default)]
struct Phase {
    measuring: AtomicBool,
    over: AtomicBool,
}

async fn measure(order: &Order) -> Result<Measured> {
    let target = Arc::new(order.target()?);
    let right: Arc<[u8]> = target.right_answer(order.verdict).await?.into();
    let phase = Arc::new(Phase::default());
    let mut connections = JoinSet::new();
    for _ in 0..order.connections {
        connections.spawn(converse(target.connect().await?, target.clone(), right.clone(), phase.clone()));
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
pub async fn stay_awake() {
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

/// Sends the review repeatedly until the phase is over. Returns the response times inside the window.
async fn converse(
    mut connection: Connection,
    target: Arc<Target>,
    right: Arc<[u8]>,
    phase: Arc<Phase>,
) -> Result<Vec<Duration>> {
    let mut times = Vec::new();
    loop {
        let sent = Instant::now();
        let body = connection.exchange(&target).await?;
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
