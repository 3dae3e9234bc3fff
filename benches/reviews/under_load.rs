//! Measures response times at fixed rates, at saturation, without keep-alive, and of small reviews beside large ones: `just load`.
//! Each load is put on Portcullis and on a canned answer of the same libraries, one after the other.

use std::time::Duration;

use anyhow::{Context, Result};

use crate::paced::{self, Measured, Order, Pace, Responses, Stream};
use crate::payload::{self, Payload};
use crate::product::Product;
use crate::rounds::Contender;
use crate::table::{Row, Table, figure};
use crate::{INGRESSES, Own, QUIET, introduce_cores, objects, ours};

/// The number of idle connections that an API server keeps to a webhook.
const CONNECTIONS: usize = 25;
const WARM_UP: Duration = Duration::from_secs(2);
const FIGURES: [&str; 10] = [
    "a second",
    "p50 ms",
    "p99 ms",
    "p99.9 ms",
    "longest ms",
    "failed",
    "CPU us/review",
    "of a core",
    "waited",
    "CPU to canned",
];

/// A load: the first stream is what is measured, the others run beside it.
struct Load {
    name: &'static str,
    streams: Vec<Stream>,
}

/// What was measured of both servers under one load.
struct Outcome {
    name: &'static str,
    canned: Measured,
    ours: Measured,
}

/// Measures the load with a name, or else those whose name contains the text, for so long each. Prints them and, of all of them, the
/// goals.
pub fn bench(own: &Own, window: Duration, only: &str) -> Result<()> {
    let product = Product::over_files(own.folder.path(), objects::ingresses(INGRESSES))?;
    println!("{window:?} each, {CONNECTIONS} connections, {}", introduce_cores());
    for payload in [payload::ordinary(), payload::medium(), payload::huge()] {
        println!("{}: {} bytes", payload.name, payload.body.len());
    }
    println!("index: {INGRESSES} Ingresses; checks that run: {}\n", product.facts()?.checks);
    let contenders = [own.contender("canned", &own.framework, None), ours(&product, None)];
    let mut outcomes = Vec::new();
    let loads = loads();
    let is_name = loads.iter().any(|load| load.name == only);
    let is_meant = |load: &Load| if is_name { load.name == only } else { load.name.contains(only) };
    for load in loads.into_iter().filter(is_meant) {
        outcomes.push(measure(&contenders, load, window)?);
    }
    print(&outcomes);
    Ok(())
}

fn loads() -> Vec<Load> {
    let stream = |payload: Payload, connections, pace| Stream {
        review: payload.body,
        verdict: payload.verdict,
        connections,
        pace,
    };
    let small = |pace| stream(payload::ordinary(), CONNECTIONS, pace);
    let medium = |rate| stream(payload::medium(), CONNECTIONS, Pace::PerSecond(rate));
    let huge = || stream(payload::huge(), 2, Pace::PerSecond(2));
    let per_second = |rate| small(Pace::PerSecond(rate));
    let load = |name, streams| Load { name, streams };
    vec![
        load("1,000 a second", vec![per_second(1_000)]),
        load("5,000 a second", vec![per_second(5_000)]),
        load("saturation", vec![small(Pace::Saturation)]),
        load("a new connection each", vec![small(Pace::NewConnections)]),
        load("125 KB UPDATE, 100 a second", vec![medium(100)]),
        load("3.7 MB UPDATE, 2 a second", vec![huge()]),
        load("1,000 a second, beside 100 of 125 KB", vec![per_second(1_000), medium(100)]),
        load("1,000 a second, beside 2 of 3.7 MB", vec![per_second(1_000), huge()]),
    ]
}

fn measure(contenders: &[Contender<'_>; 2], load: Load, window: Duration) -> Result<Outcome> {
    let [canned, ours] = contenders.each_ref().map(|contender| {
        let order = Order {
            webhook: contender.server.webhook,
            pid: contender.server.pid(),
            certificate: contender.certificate.clone(),
            streams: load.streams.clone(),
            warm_up: WARM_UP,
            window,
        };
        paced::place(&order).with_context(|| format!("{}: {}", contender.name, load.name))
    });
    Ok(Outcome { name: load.name, canned: canned?, ours: ours? })
}

fn print(outcomes: &[Outcome]) {
    let rows = outcomes
        .iter()
        .flat_map(|outcome| [row(outcome, "canned", &outcome.canned), row(outcome, "portcullis", &outcome.ours)]);
    println!("{}", Table { figures: FIGURES.to_vec(), rows: rows.collect() });
    println!("{}", Table { figures: vec!["measured"], rows: goals(outcomes) });
    if outcomes.iter().any(|outcome| outcome.canned.waited.max(outcome.ours.waited) > QUIET) {
        println!("The machine was not quiet: a server waited for its core. The response times are too long.\n");
    }
}

fn row(outcome: &Outcome, server: &str, measured: &Measured) -> Row {
    let of = &measured.streams[0];
    let ratio = measured.cpu.div_duration_f64(outcome.canned.cpu);
    let figures = vec![
        format!("{:.0}", of.rate),
        format!("{:.2}", milliseconds(of.p50)),
        format!("{:.2}", milliseconds(of.p99)),
        format!("{:.2}", milliseconds(of.p999)),
        format!("{:.1}", milliseconds(of.longest)),
        measured.streams.iter().map(|stream| stream.failed).sum::<usize>().to_string(),
        format!("{:.1}", measured.cpu.as_secs_f64() * 1e6),
        format!("{:.2}", measured.busy),
        format!("{:.2}", measured.waited),
        format!("{ratio:.2}"),
    ];
    Row { what: format!("{}: {server}", outcome.name), figures, value: ratio, bound: None }
}

/// The figures that are to hold. What must be reached at least is stated as time per review.
fn goals(outcomes: &[Outcome]) -> Vec<Row> {
    let [slow, fast, saturated, new, medium, huge, beside_medium, beside_huge] = outcomes else { return Vec::new() };
    let of = |outcome: &Outcome| outcome.ours.streams[0];
    let p99 = |what, outcome: &Outcome, bound| figure(what, milliseconds(of(outcome).p99), Some(bound));
    let each = |outcome: &Outcome| 1e6 / of(outcome).rate;
    let effect =
        |outcome: &Outcome, server: fn(&Outcome) -> Responses| server(outcome).p99.div_duration_f64(server(slow).p99);
    let (ours, canned) = (|outcome: &Outcome| outcome.ours.streams[0], |outcome: &Outcome| outcome.canned.streams[0]);
    let failed = outcomes.iter().flat_map(|outcome| &outcome.ours.streams).map(|stream| stream.failed).sum::<usize>();
    vec![
        figure("reviews without a correct answer", failed as f64, Some(0.0)),
        figure("1,000 a second: p50, ms", milliseconds(of(slow).p50), Some(0.5)),
        p99("1,000 a second: p99, ms", slow, 2.0),
        figure("1,000 a second: p99.9, ms", milliseconds(of(slow).p999), Some(15.0)),
        figure("1,000 a second: share of a core", slow.ours.busy, Some(0.15)),
        p99("5,000 a second: p99, ms", fast, 5.0),
        figure("saturation: us for each review (20,000 a second)", each(saturated), Some(50.0)),
        figure("a new connection each: us for each review (4,000 a second)", each(new), Some(250.0)),
        p99("125 KB UPDATE: p99, ms", medium, 3.0),
        p99("3.7 MB UPDATE: p99, ms", huge, 50.0),
        figure("small ones beside 125 KB: p99 to alone", effect(beside_medium, ours), Some(2.0)),
        figure("the same of the canned answer", effect(beside_medium, canned), None),
        figure("small ones beside 3.7 MB: p99 to alone", effect(beside_huge, ours), Some(2.0)),
        figure("the same of the canned answer", effect(beside_huge, canned), None),
    ]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
