//! Interleaved rounds: each round measures every server once, so that other load on the machine affects all of them. A
//! ratio is computed within a round, and the result is the median over the rounds.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};

use crate::load::{self, Measured, Order};
use crate::payload::Payload;
use crate::server::Server;
use crate::table::Row;

/// A server under measurement.
pub struct Contender<'a> {
    /// The name for tables.
    pub name: &'static str,
    /// The process.
    pub server: &'a Server,
    /// The folder with the CA of its certificate.
    pub certificate: PathBuf,
    /// The maximum ratio to the baseline.
    pub bound: Option<f64>,
}

/// How often and how long to measure, over how many connections.
#[derive(Clone, Copy)]
pub struct Plan {
    /// How often every server is measured.
    pub rounds: usize,
    /// The duration of one measurement.
    pub window: Duration,
    /// The number of connections.
    pub connections: usize,
}

const WARM_UP: Duration = Duration::from_millis(500);

/// The column headings of the figures.
pub const FIGURES: [&str; 5] = ["CPU us/review", "busy", "waited", "p50 us", "ratio to floor"];

/// The figures of one contender for one payload: medians over the rounds.
pub struct Outcome {
    /// The names of the payload and of the contender.
    pub what: String,
    /// The CPU time per review, in microseconds.
    pub cpu: f64,
    /// The share of the window in which the server ran.
    pub busy: f64,
    /// The share of the window in which the server was runnable, but its core ran another process.
    pub waited: f64,
    /// The median response time, in microseconds.
    pub latency: f64,
    /// The CPU time divided by that of the first contender, within a round.
    pub ratio: f64,
    /// The maximum ratio.
    pub bound: Option<f64>,
}

/// The order that sends a payload to a contender.
pub fn order(contender: &Contender<'_>, payload: &Payload, plan: Plan) -> Order {
    Order {
        webhook: contender.server.webhook,
        pid: contender.server.pid(),
        certificate: contender.certificate.clone(),
        review: payload.body.clone(),
        verdict: payload.verdict,
        connections: plan.connections,
        warm_up: WARM_UP,
        window: plan.window,
    }
}

/// Measures the contenders. The first of them is the baseline.
pub fn measure(contenders: &[Contender<'_>], payload: &Payload, plan: Plan) -> Result<Vec<Outcome>> {
    let mut rounds = Vec::new();
    for _ in 0..plan.rounds {
        let turns = contenders.iter().map(|contender| {
            let placed = load::place(&order(contender, payload, plan));
            placed.with_context(|| format!("{}: {}", contender.name, payload.name))
        });
        rounds.push(turns.collect::<Result<Vec<Measured>>>()?);
    }
    let outcomes = contenders.iter().enumerate();
    Ok(outcomes.map(|(turn, contender)| outcome(contender, payload, &rounds, turn)).collect())
}

fn outcome(contender: &Contender<'_>, payload: &Payload, rounds: &[Vec<Measured>], turn: usize) -> Outcome {
    let over_rounds = |figure: &dyn Fn(&[Measured]) -> f64| median(rounds.iter().map(|round| figure(round)).collect());
    Outcome {
        what: format!("{}: {}", payload.name, contender.name),
        cpu: over_rounds(&|round| microseconds(round[turn].cpu)),
        busy: over_rounds(&|round| round[turn].busy),
        waited: over_rounds(&|round| round[turn].waited),
        latency: over_rounds(&|round| microseconds(round[turn].median)),
        ratio: over_rounds(&|round| round[turn].cpu.div_duration_f64(round[0].cpu)),
        bound: contender.bound,
    }
}

impl From<&Outcome> for Row {
    fn from(outcome: &Outcome) -> Self {
        let figures = vec![
            format!("{:.1}", outcome.cpu),
            format!("{:.2}", outcome.busy),
            format!("{:.2}", outcome.waited),
            format!("{:.0}", outcome.latency),
            format!("{:.2}", outcome.ratio),
        ];
        Self { what: outcome.what.clone(), figures, value: outcome.ratio, bound: outcome.bound }
    }
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// The median.
pub fn median(mut figures: Vec<f64>) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}
