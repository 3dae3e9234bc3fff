//! Measures what the webhook adds to the p99 of writes under load, by the clock of the writers, and how long its calls took by the
//! histogram of the API server.

use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use crate::cluster::dry_run;
use crate::harness::{ControlPlane, Http};
use crate::objects::Object;
use crate::product::sum;
use crate::table::{Row, figure};

/// The number of writers.
const WRITERS: u32 = 8;
/// How often writes have their turn with and without the webhook, and for how long.
const TURNS: u32 = 5;
const TURN: Duration = Duration::from_secs(4);
/// How many are made in a second. `None` is as many as the machine makes.
const RATES: [Option<u32>; 2] = [Some(150), None];

/// The metric of the API server's calls, and of those that took at most 5 ms, of all webhooks.
const CALLS: (&str, &str) = ("apiserver_admission_webhook_admission_duration_seconds_count", "");
const QUICK_CALLS: (&str, &str) = ("apiserver_admission_webhook_admission_duration_seconds_bucket", r#"le="0.005""#);

/// The figures of each rate, for an object of a namespace without the webhook and one with it.
pub fn rows(control_plane: &ControlPlane, without: &Object, with: &Object) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for rate in RATES {
        rows.extend(at_rate(control_plane, [without, with], rate)?);
    }
    Ok(rows)
}

fn at_rate(control_plane: &ControlPlane, objects: [&Object; 2], rate: Option<u32>) -> Result<Vec<Row>> {
    let before = Calls::read(&control_plane.http())?;
    let mut times = [const { Vec::new() }; 2];
    for _ in 0..TURNS {
        for (object, times) in objects.into_iter().zip(&mut times) {
            times.extend(turn(control_plane, object, rate)?);
        }
    }
    let calls = Calls::read(&control_plane.http())?.since(before);
    ensure!(calls.all >= times[1].len() as u64, "the API server called the webhook only {} times", calls.all);
    let [without, with] = times.map(|mut times| {
        times.sort_unstable_by(f64::total_cmp);
        times
    });
    let p99 = |times: &[f64]| times[(times.len() - 1) * 99 / 100];
    let load =
        rate.map_or("as many creates as the machine makes".to_owned(), |rate| format!("{rate} creates a second"));
    let row = |what: &str, value, bound| figure(&format!("{load}: {what}"), value, bound);
    Ok(vec![
        row("with portcullis, a second", with.len() as f64 / (TURN * TURNS).as_secs_f64(), None),
        row("p99 without, ms", p99(&without), None),
        row("p99 with portcullis, ms", p99(&with), None),
        row("what it adds to the p99, ms", p99(&with) - p99(&without), Some(5.0)),
        row(
            "calls above 5 ms by the API server's histogram, %",
            100.0 * (1.0 - calls.within as f64 / calls.all as f64),
            Some(1.0),
        ),
    ])
}

/// The milliseconds of each dry-run create of some writers, which send at a rate or one after another.
fn turn(control_plane: &ControlPlane, object: &Object, rate: Option<u32>) -> Result<Vec<f64>> {
    let until = Instant::now() + TURN;
    let pause = rate.map(|rate| Duration::from_secs(1) * WRITERS / rate);
    let writer = &|number: u32| {
        // They do not write at the same moments.
        let first = Instant::now() + pause.unwrap_or_default() * number / WRITERS;
        let (http, mut times, mut due) = (control_plane.http(), Vec::new(), first);
        while due < until {
            thread::sleep(due.saturating_duration_since(Instant::now()));
            times.push(dry_run(&http, object)?);
            due = pause.map_or_else(Instant::now, |pause| due + pause);
        }
        Ok(times)
    };
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS).map(|number| scope.spawn(move || writer(number))).collect();
        let times = writers.into_iter().map(|writer| writer.join().expect("a writer does not panic"));
        Ok(times.collect::<Result<Vec<_>>>()?.concat())
    })
}

/// How many calls of validating webhooks the API server has counted.
#[derive(Debug, Clone, Copy)]
struct Calls {
    all: u64,
    /// Those that took at most 5 ms.
    within: u64,
}

impl Calls {
    fn read(http: &Http) -> Result<Self> {
        let (status, page) = http.get("/metrics");
        ensure!(status == 200, "/metrics answers {status}");
        Ok(Self { all: sum(&page, CALLS), within: sum(&page, QUICK_CALLS) })
    }

    fn since(self, before: Self) -> Self {
        Self { all: self.all - before.all, within: self.within - before.within }
    }
}
