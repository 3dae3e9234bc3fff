//! How soon statuses follow many changes.

use std::sync::Mutex;
use std::thread::{self, sleep};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fixture::Cluster;
use super::objects::ingress_route;
use crate::harness::{must_within, until};

/// Within what time each status must be about the newest generation, on a busy machine.
const LIMIT: Duration = Duration::from_secs(10);
const PER_SECOND: f64 = 100.0;
/// How many writers make these changes.
const WRITERS: usize = 4;

/// An IngressRoute that no root delegates to.
pub fn orphan(number: usize) -> Value {
    ingress_route("team", &format!("orphan-{number}"), None, &[])
}

/// How many IngressRoutes have this state.
pub fn count(cluster: &Cluster, state: &str) -> usize {
    cluster.list(&orphan(0)).iter().filter(|route| route["status"]["currentStatus"] == state).count()
}

/// The newest change of an object.
#[derive(Clone, Copy)]
struct Made {
    at: Instant,
    generation: u64,
}

/// What a stream of changes has shown.
pub struct Followed {
    pub changes: usize,
    /// The number of changes in a second.
    pub rate: f64,
    /// The longest time for which a status was seen to be outdated.
    pub lag: Duration,
}

/// Changes `objects` orphans at 100 changes a second for a while. The status of each is about its newest generation within
/// [`LIMIT`].
pub fn follow_changes(cluster: &Cluster, objects: usize, length: Duration) -> Followed {
    let newest: Vec<Mutex<Option<Made>>> = (0..objects).map(|_| Mutex::default()).collect();
    let (start, newest) = (Instant::now(), &newest);
    let (changes, lag) = thread::scope(|scope| {
        let writers = (0..WRITERS).map(|writer| scope.spawn(move || change(cluster, newest, writer, length)));
        let writers: Vec<_> = writers.collect();
        let mut longest = Duration::ZERO;
        while start.elapsed() < length {
            longest = longest.max(lag(cluster, newest));
            sleep(Duration::from_millis(250));
        }
        let changes: usize = writers.into_iter().map(|writer| writer.join().expect("every change is accepted")).sum();
        (changes, longest)
    });
    let rate = changes as f64 / length.as_secs_f64();
    let end =
        must_within(LIMIT, "every status is about the newest generation", || self::lag(cluster, newest).is_zero());
    Followed { changes, rate, lag: lag.max(end) }
}

/// The changes of one writer, each of the next one of its objects.
fn change(cluster: &Cluster, newest: &[Mutex<Option<Made>>], writer: usize, length: Duration) -> usize {
    let (start, mut changes) = (Instant::now(), 0);
    while start.elapsed() < length {
        let number = (changes * WRITERS + writer) % newest.len();
        let route = json!({"match": format!("/{writer}/{changes}"), "services": [{"name": "shop", "port": 80}]});
        let generation = cluster.patch_spec(&orphan(number), &json!({"routes": [route]}));
        *newest[number].lock().expect("no holder panics") = Some(Made { at: Instant::now(), generation });
        changes += 1;
        let next = start + Duration::from_secs_f64(changes as f64 / PER_SECOND * WRITERS as f64);
        sleep(next.saturating_duration_since(Instant::now()));
    }
    changes
}

/// For how long the most outdated status has been outdated.
fn lag(cluster: &Cluster, newest: &[Mutex<Option<Made>>]) -> Duration {
    // What is changed after the list may be outdated in it.
    let newest: Vec<Option<Made>> = newest.iter().map(|made| *made.lock().expect("no holder panics")).collect();
    let (mut longest, asked) = (Duration::ZERO, Instant::now());
    for route in cluster.list(&orphan(0)) {
        let number = route["metadata"]["name"].as_str().and_then(|name| name.strip_prefix("orphan-")?.parse().ok());
        let made = number.and_then(|number: usize| newest.get(number).copied().flatten());
        let Some(Made { at, generation }) = made else { continue };
        if route["status"]["observedGeneration"].as_u64() < Some(generation) {
            longest = longest.max(asked - at);
        }
    }
    assert!(longest <= LIMIT, "a status is outdated for {longest:?}");
    longest
}

/// 5,000 outdated statuses are corrected in less than a minute, and a change meanwhile is followed at once.
pub fn outdated_statuses() {
    const OBJECTS: usize = 5_000;
    let cluster = Cluster::new();
    cluster.apply_all(&(0..OBJECTS).map(orphan).collect::<Vec<_>>());
    let server = cluster.replica("");
    let (start, mut waits) = (Instant::now(), Vec::new());
    must_within(Duration::from_secs(20), "all are compared", || {
        server.metric("portcullis_status_queued") > Some(4_000.0)
    });
    let limit = Duration::from_secs(60);
    let done = until(limit, || {
        let fresh = ingress_route("web", &format!("fresh-{}", waits.len()), None, &[]);
        cluster.apply(&fresh);
        waits.push(cluster.expect_state(&fresh, limit, "orphaned"));
        sleep(Duration::from_secs(1));
        (server.metric("portcullis_status_queued") == Some(0.0)).then(|| start.elapsed())
    });
    assert_eq!(count(&cluster, "orphaned"), OBJECTS + waits.len());
    let done = done.unwrap_or_else(|| panic!("not within {limit:?}\n{}", server.log()));
    let longest = waits.iter().max().copied().unwrap_or_default();
    crate::e2e::report::within("5,000 outdated statuses are corrected", limit, done);
    crate::e2e::report::within("a change meanwhile has its status", Duration::from_secs(1), longest);
}

/// At 20 changes a second, half of the statuses are visible within 50 ms.
pub fn visible_statuses() {
    const CHANGES: usize = 600;
    let cluster = Cluster::new();
    (0..20).for_each(|number| cluster.apply(&orphan(number)));
    let _gate = cluster.replica("");
    must_within(Duration::from_secs(20), "all have a status", || count(&cluster, "orphaned") == 20);
    let mut waits: Vec<Duration> = Vec::new();
    for change in 0..CHANGES {
        let (start, number) = (Instant::now(), change % 20);
        let route = json!({"match": format!("/{change}"), "services": [{"name": "shop", "port": 80}]});
        let generation = cluster.patch_spec(&orphan(number), &json!({"routes": [route]}));
        let changed = Instant::now();
        while cluster.status(&orphan(number))["observedGeneration"].as_u64() != Some(generation) {
            assert!(changed.elapsed() < LIMIT, "no status after {LIMIT:?}");
        }
        waits.push(changed.elapsed());
        sleep((start + Duration::from_millis(50)).saturating_duration_since(Instant::now()));
    }
    waits.sort();
    let [half, most] = [waits[CHANGES / 2], waits[CHANGES * 99 / 100]];
    crate::e2e::report::figure(
        "status visible after a change, at 20 changes/s: p50, p99",
        "0.05 s",
        format!("{half:?}, {most:?}"),
    );
    assert!(half < Duration::from_millis(50), "{half:?}");
}
