//! A stream of dry-run writes at a steady rate, and what became of each.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use axum::http::Request;
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::hosts::ingress;
use super::report::figure;
use crate::harness::Http;

/// How many writes a second are made, if the machine can.
const RATE: u32 = 500;
/// How many writers there are, each with a connection of its own.
const WRITERS: u32 = 16;

/// The fewest writes a second that a step must have made. A busy machine of two cores makes 150 or more.
const FEWEST: f64 = 50.0;

const INGRESSES: &str = "/apis/networking.k8s.io/v1/namespaces/team-b/ingresses?dryRun=All";
const GATEWAYS: &str = "/apis/gateway.networking.k8s.io/v1/namespaces/team-b/gateways?dryRun=All";

/// A write that is sent again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    /// An Ingress that must be admitted.
    Ingress,
    /// A Gateway that must be admitted, and that gets the default class.
    Gateway,
    /// An Ingress of another namespace with a host and path that is taken, which must be denied.
    TakenHost,
    /// The same for the host in `late.yaml`.
    LateHost,
}

/// A write whose answer was wrong.
struct Failure {
    write: Write,
    /// When it was sent.
    sent: Instant,
    why: String,
}

impl Write {
    /// What goes through whether or not anything reviews it.
    pub const ADMITTED: &[Self] = &[Self::Ingress];
    /// Half of it must be denied.
    pub const ALL: &[Self] = &[Self::Ingress, Self::TakenHost, Self::Gateway, Self::TakenHost];

    /// Sends it in a dry run. The error says what was wrong with the answer.
    pub fn send(self, http: &Http, number: usize) -> Result<(), String> {
        let (path, object) = match self {
            Self::Ingress => (INGRESSES, ingress("write", &format!("w{number}.example.com"), "/")),
            Self::TakenHost => (INGRESSES, ingress("write", "shop.example.com", "/")),
            Self::LateHost => (INGRESSES, ingress("write", "late.example.com", "/")),
            Self::Gateway => (GATEWAYS, gateway()),
        };
        let sent = http.try_json(Request::post(path), object.to_string());
        let (status, answer) = sent.map_err(|why| format!("{self:?}: {why}"))?;
        let is_right = match self {
            Self::Ingress => status == 201,
            Self::Gateway => status == 201 && answer["spec"]["gatewayClassName"] == "public",
            Self::TakenHost | Self::LateHost => {
                status == 422 && answer["message"].to_string().contains("[host/path-conflict]")
            }
        };
        if is_right { Ok(()) } else { Err(format!("{self:?}: {status} {}", answer["message"])) }
    }
}

/// Creates an Ingress of the namespace `team-b` in a dry run. Returns the status and the answer.
pub fn create_ingress(http: &Http, host: &str, path: &str) -> (u16, Value) {
    http.post(INGRESSES, ingress("write", host, path).to_string())
}

fn gateway() -> Value {
    json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"name": "write"},
        "spec": {"listeners": [{"name": "http", "hostname": "gateway.example.net", "port": 80, "protocol": "HTTP"}]},
    })
}

/// Writers that run until they are stopped.
pub struct Load {
    is_over: Arc<AtomicBool>,
    sent: Arc<AtomicUsize>,
    failures: Arc<Mutex<Vec<Failure>>>,
    writers: Vec<JoinHandle<()>>,
    since: Instant,
}

impl Load {
    /// Starts to send these writes, one after another.
    pub fn start(cluster: &Cluster, writes: &'static [Write]) -> Self {
        let (is_over, sent) = (Arc::<AtomicBool>::default(), Arc::<AtomicUsize>::default());
        let failures = Arc::<Mutex<Vec<Failure>>>::default();
        let writer = |_| {
            let (http, is_over, count, failures) = (cluster.http(), is_over.clone(), sent.clone(), failures.clone());
            thread::spawn(move || {
                let mut due = Instant::now();
                while !is_over.load(Ordering::Relaxed) {
                    thread::sleep(due.saturating_duration_since(Instant::now()));
                    let number = count.fetch_add(1, Ordering::Relaxed);
                    let (write, sent) = (writes[number % writes.len()], Instant::now());
                    // What was missed is not made up for, so that a pause causes no burst.
                    due = sent.max(due) + Duration::from_secs(1) * WRITERS / RATE;
                    if let Err(why) = write.send(&http, number) {
                        failures.lock().expect("no holder panics").push(Failure { write, sent, why });
                    }
                }
            })
        };
        let writers = (0..WRITERS).map(writer).collect();
        Self { is_over, sent, failures, writers, since: Instant::now() }
    }

    /// How many writes were sent so far.
    pub fn sent(&self) -> usize {
        self.sent.load(Ordering::Relaxed)
    }

    /// Waits for the last answers.
    pub fn stop(mut self) -> Outcome {
        self.end();
        let failures = std::mem::take(&mut *self.failures.lock().expect("no holder panics"));
        Outcome { sent: self.sent(), lasted: self.since.elapsed(), failures }
    }

    fn end(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.writers.drain(..).for_each(|writer| writer.join().expect("no writer panics"));
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.end();
    }
}

/// What became of the writes.
pub struct Outcome {
    sent: usize,
    lasted: Duration,
    failures: Vec<Failure>,
}

impl Outcome {
    /// Adds the figure. Panics if any write failed, or too few were made to say so.
    #[track_caller]
    pub fn none_failed(&self, what: &str) {
        figure(what, "0 failed", self);
        assert!(self.failures.is_empty(), "{self}{}", self.messages());
        assert!(self.rate() >= FEWEST, "only {} writes were made in {:?}", self.sent, self.lasted);
    }

    /// How many writes were made in a second.
    fn rate(&self) -> f64 {
        self.sent as f64 / self.lasted.as_secs_f64()
    }

    /// The failures of one write, and what became of the others.
    pub fn split(mut self, write: Write) -> (Self, Self) {
        let failures = std::mem::take(&mut self.failures);
        let (of_it, of_others) = failures.into_iter().partition(|failure| failure.write == write);
        (Self { failures: of_it, ..self }, Self { failures: of_others, ..self })
    }

    /// Whether a write was admitted that must be denied.
    pub fn has_admitted(&self) -> bool {
        let must_be_denied = |write| matches!(write, Write::TakenHost | Write::LateHost);
        self.failures.iter().any(|failure| must_be_denied(failure.write) && failure.why.contains(": 201 "))
    }

    /// What was wrong with those that failed, each once.
    pub fn messages(&self) -> String {
        let messages: BTreeSet<&str> = self.failures.iter().map(|failure| failure.why.as_str()).collect();
        messages.into_iter().take(10).map(|message| format!("\n    {message}")).collect()
    }

    /// How long it took from a moment until the last write that failed was sent.
    pub fn last_failure_after(&self, moment: Instant) -> Duration {
        self.failures.iter().map(|failure| failure.sent.saturating_duration_since(moment)).max().unwrap_or_default()
    }
}

impl std::fmt::Display for Outcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (failed, seconds) = (self.failures.len(), self.lasted.as_secs_f64());
        write!(f, "{failed} of {} writes failed ({:.0} a second for {seconds:.0} s)", self.sent, self.rate())
    }
}
