//! Measures a review in a cluster in which one tenant has stored as much as the limits allow: `cargo bench --bench
//! adversarial`.
//!
//! One process, one thread, no network. An exceeded bound is only printed, since the machine may be shared; the bench
//! `instructions` counts the same reviews and fails.

mod scaled;
mod subject;
#[allow(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../reviews/table.rs"]
mod table;
#[allow(dead_code, reason = "the trials and the other bench use the rest of it")]
mod world;

use std::env;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use portcullis_core::kinds::Kind;
use tikv_jemallocator::Jemalloc;

use crate::scaled::{Scaled, Size};
use crate::subject::Subject;
use crate::table::{Row, Table, figure};

/// The allocator of the program.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// The maximum CPU time of a review, and the additional time for each MiB of its body.
const MAX_MS: f64 = 100.0;
const MAX_MS_PER_MIB: f64 = 25.0;
/// How long a change of the view may wait for a review.
const MAX_WAIT_MS: f64 = 5.0;
/// How long a small review of another namespace may take meanwhile.
const MAX_BESIDE_MS: f64 = 20.0;
/// The maximum ratio of the CPU time with twice as many claims of the reviewed object, with each of them twice (of the
/// time beyond that without stored objects, since a longer object also takes longer to read), and with twice as many stored
/// objects.
const MAX_OF_CLAIMS: f64 = 2.3;
const MAX_OF_REPETITIONS: f64 = 1.1;
const MAX_OF_STORED: f64 = 1.2;
/// A difference of two times that is smaller than this one says nothing.
const LEAST_MS: f64 = 0.5;
/// The time between two changes.
const PAUSE: Duration = Duration::from_micros(500);
/// How often each measurement is repeated.
const TIMES: usize = 5;

fn main() {
    let names: Vec<String> = env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |name: &str| names.is_empty() || names.iter().any(|part| name.contains(part));
    let (mut rows, mut waits, mut besides) = (Vec::new(), Vec::new(), Vec::new());
    let small = subject::review(Kind::Ingress, &world::small_ingress());
    for world in world::all().filter(|world| is_wanted(world.name)) {
        let subject = Subject::new(&world);
        black_box(subject.validate());
        let longest = (0..TIMES).map(|_| time_of(&subject)).max().unwrap_or_default();
        let mebibytes = subject.review.len() as f64 / f64::from(1 << 20);
        let most = MAX_MS + MAX_MS_PER_MIB * mebibytes;
        rows.push(figure(world.name, longest.as_secs_f64() * 1e3, Some(most.round())));
        let wait = longest_beside(&subject, || subject.cluster.change(|_| ()));
        waits.push(figure(world.name, wait, Some(MAX_WAIT_MS)));
        let beside = longest_beside(&subject, || drop(black_box(subject.validate_text(&small))));
        besides.push(figure(world.name, beside, Some(MAX_BESIDE_MS)));
    }
    let growth = scaled::all().iter().filter(|scaled| is_wanted(scaled.name)).flat_map(growth).collect();
    println!("{}", Table { figures: vec!["longest review, ms of CPU"], rows });
    println!("{}", Table { figures: vec!["longest wait of a watch, ms"], rows: waits });
    println!("{}", Table { figures: vec!["longest small review beside it, ms"], rows: besides });
    println!("{}", Table { figures: vec!["ms of CPU", "afterwards", "ratio"], rows: growth });
}

/// How the cost of a review grows with twice as many claims, with each claim twice, and with twice as many stored objects.
fn growth(scaled: &Scaled) -> Vec<Row> {
    let size = scaled.size;
    let least = |size: Size| {
        let subject = Subject::with(&(scaled.of)(size), scaled.config());
        black_box(subject.validate());
        let times = (0..TIMES).map(|_| time_of(&subject));
        times.min().unwrap_or_default().as_secs_f64() * 1e3
    };
    let alone = |size: Size| least(Size { stored: 0, ..size });
    let before = least(size);
    let compared = (before - alone(size)).max(LEAST_MS);
    let doubled = [
        ("twice the claims", Size { own: 2 * size.own, ..size }, MAX_OF_CLAIMS),
        ("each claim twice", Size { times: 2 * size.times, ..size }, MAX_OF_REPETITIONS),
        ("twice the stored objects", Size { stored: 2 * size.stored, ..size }, MAX_OF_STORED),
    ];
    let row = |(what, doubled, most): (&str, Size, f64)| {
        let (before, after) = match doubled.times > size.times {
            true => (compared, (least(doubled) - alone(doubled)).max(LEAST_MS)),
            false => (before, least(doubled)),
        };
        let figures = vec![format!("{before:.2}"), format!("{after:.2}"), format!("{:.2}", after / before)];
        Row { what: format!("{}: {what}", scaled.name), figures, value: after / before, bound: Some(most) }
    };
    doubled.map(row).into()
}

/// The longest time that `act` took while the review was evaluated, in milliseconds. Of several evaluations the least
/// counts, since a thread may also wait for a core.
fn longest_beside(subject: &Subject, act: impl Fn() + Sync) -> f64 {
    let longest = |_| {
        let is_done = AtomicBool::new(false);
        thread::scope(|scope| {
            let beside = scope.spawn(|| {
                let mut longest = Duration::ZERO;
                while !is_done.load(Ordering::Relaxed) {
                    let begin = Instant::now();
                    act();
                    longest = longest.max(begin.elapsed());
                    thread::sleep(PAUSE);
                }
                longest
            });
            drop(black_box(subject.validate()));
            is_done.store(true, Ordering::Relaxed);
            beside.join().expect("the other thread does not panic")
        })
    };
    (0..TIMES).map(longest).min().unwrap_or_default().as_secs_f64() * 1e3
}

fn time_of(subject: &Subject) -> Duration {
    let before = ran();
    black_box(subject.validate());
    ran().saturating_sub(before)
}

/// How long this thread has been running on a core.
fn ran() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    time.try_into().expect("not negative")
}
