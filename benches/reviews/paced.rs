//! A load generator for response times, a separate process. Reviews are due at fixed moments, whatever the server does, and a
//! response time counts from the moment at which its review was due: a server that pauses pays for every review that was due
//! meanwhile. It also drives servers to saturation, over persistent connections and over a new one for each review.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use tokio::task::{JoinSet, yield_now};
use tokio::time::sleep;

use crate::connection::{Connection, Target};
use crate::cpu;
use crate::load::{self, stay_awake};
use crate::payload::Verdict;

/// When the reviews of a stream are sent.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Pace {
    /// So many are due in each second.
    PerSecond(u32),
    /// Each connection sends the next one after the response to the previous one.
    Saturation,
    /// The same, but each review is sent over a new connection.
    NewConnections,
}

/// One kind of review, sent at one pace.
#[derive(Clone, Serialize, Deserialize)]
pub struct Stream {
    /// The AdmissionReview to send.
    pub review: String,
    /// The verdict of a correct response.
    pub verdict: Verdict,
    /// The number of concurrent connections.
    pub connections: usize,
    /// When to send.
    pub pace: Pace,
}

/// The parameters of one measurement.
#[derive(Clone, Serialize, Deserialize)]
pub struct Order {
    /// The webhook address of the server.
    pub webhook: SocketAddr,
    /// The process of the server, whose CPU time is read.
    pub pid: u32,
    /// The folder with the CA of the server's certificate.
    pub certificate: PathBuf,
    /// What is sent at the same time.
    pub streams: Vec<Stream>,
    /// How long to send before the measurement.
    pub warm_up: Duration,
    /// The duration of the measurement.
    pub window: Duration,
}

/// The result of one measurement.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Measured {
    /// The response times of each stream.
    pub streams: Vec<Responses>,
    /// The share of the window in which the server ran.
    pub busy: f64,
    /// The share of the window in which the server was runnable, but its core ran another process.
    pub waited: f64,
    /// The CPU time of the server per review, all streams together.
    pub cpu: Duration,
}

/// The response times of a stream.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Responses {
    /// The number of reviews with a correct response.
    pub answered: usize,
    /// The number of reviews without one.
    pub failed: usize,
    /// Correct responses per second.
    pub rate: f64,
    /// The median.
    pub p50: Duration,
    /// Of 100 reviews, 99 were answered so soon.
    pub p99: Duration,
    /// Of 1,000 reviews, 999 were answered so soon.
    pub p999: Duration,
    /// The longest.
    pub longest: Duration,
}

/// Executes an order in a separate process on the load core.
pub fn place(order: &Order) -> Result<Measured> {
    load::in_own_process("paced", order)
}

/// Reads an order from stdin, executes it and prints the result.
pub async fn serve() -> Result<()> {
    let order = serde_json::from_reader(io::stdin().lock())?;
    println!("{}", serde_json::to_string(&measure(&order).await?)?);
    Ok(())
}

/// When the reviews of a stream are due, and which of them are measured.
struct Schedule {
    begin: Instant,
    from: Instant,
    until: Instant,
    pace: Pace,
    next: AtomicU64,
}

impl Schedule {
    /// The moment at which the next review is due.
    fn next(&self) -> Instant {
        match self.pace {
            Pace::PerSecond(rate) => {
                let number = self.next.fetch_add(1, Relaxed);
                self.begin + Duration::from_secs(1).mul_f64(number as f64 / f64::from(rate))
            }
            Pace::Saturation | Pace::NewConnections => Instant::now(),
        }
    }

    fn measures(&self, due: Instant) -> bool {
        (self.from..self.until).contains(&due)
    }
}

async fn measure(order: &Order) -> Result<Measured> {
    let begin = Instant::now() + Duration::from_millis(200);
    let (from, until) = (begin + order.warm_up, begin + order.warm_up + order.window);
    let mut streams = Vec::new();
    for stream in &order.streams {
        let target = Arc::new(Target::new(order.webhook, &order.certificate, &stream.review)?);
        let right: Arc<[u8]> = target.right_answer(stream.verdict).await?.into();
        let schedule = Arc::new(Schedule { begin, from, until, pace: stream.pace, next: AtomicU64::new(0) });
        let mut senders = JoinSet::new();
        for _ in 0..stream.connections {
            senders.spawn(send(target.clone(), right.clone(), schedule.clone()));
        }
        streams.push(senders);
    }
    let awake = tokio::spawn(stay_awake());
    sleep(from - Instant::now()).await;
    let before = cpu::threads(order.pid)?;
    sleep(until - Instant::now()).await;
    let used = cpu::threads(order.pid)?.since(&before);
    let mut responses = Vec::new();
    for senders in streams {
        let sent = senders.join_all().await;
        responses.push(summary(sent, order.window)?);
    }
    awake.abort();
    let answered: usize = responses.iter().map(|stream| stream.answered).sum();
    Ok(Measured {
        streams: responses,
        busy: used.ran.div_duration_f64(order.window),
        waited: used.waited.div_duration_f64(order.window),
        cpu: used.ran.div_f64(answered as f64),
    })
}

/// The response times of one sender, and how many of its reviews had no correct response.
#[derive(Default)]
struct Sent {
    times: Vec<Duration>,
    failed: usize,
}

/// Sends whatever is due until the end of the window.
async fn send(target: Arc<Target>, right: Arc<[u8]>, schedule: Arc<Schedule>) -> Sent {
    let (mut sent, mut connection) = (Sent::default(), None);
    loop {
        let due = schedule.next();
        if due >= schedule.until {
            return sent;
        }
        // A timer counts in milliseconds.
        while Instant::now() < due {
            yield_now().await;
        }
        if schedule.pace == Pace::NewConnections {
            connection = None;
        }
        let is_right = exchange(&target, &right, &mut connection).await;
        match (is_right, schedule.measures(due)) {
            (true, true) => sent.times.push(due.elapsed()),
            (false, true) => sent.failed += 1,
            (_, false) => {}
        }
    }
}

/// Sends one review over the connection, which is opened if there is none. Returns whether the response was correct; if it was not,
/// the connection is closed.
async fn exchange(target: &Target, right: &[u8], connection: &mut Option<Connection>) -> bool {
    let Some(mut open) = (match connection.take() {
        Some(open) => Some(open),
        None => target.connect().await.ok(),
    }) else {
        return false;
    };
    let is_right = open.exchange(target).await.is_ok_and(|body| body == right);
    *connection = is_right.then_some(open);
    is_right
}

fn summary(sent: Vec<Sent>, window: Duration) -> Result<Responses> {
    let failed = sent.iter().map(|sent| sent.failed).sum();
    let mut times: Vec<Duration> = sent.into_iter().flat_map(|sent| sent.times).collect();
    ensure!(!times.is_empty(), "no review was answered inside the window");
    times.sort_unstable();
    let of_1000 = |rank: usize| times[(times.len() - 1) * rank / 1_000];
    Ok(Responses {
        answered: times.len(),
        failed,
        rate: times.len() as f64 / window.as_secs_f64(),
        p50: of_1000(500),
        p99: of_1000(990),
        p999: of_1000(999),
        longest: of_1000(1_000),
    })
}
