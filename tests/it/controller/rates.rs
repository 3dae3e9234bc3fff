//! How soon statuses follow many changes.

use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fixture::Cluster;
use super::objects::ingress_route;
use crate::harness::{must_within, until};

/// Within what time each status must be about the newest generation.
const LIMIT: Duration = Duration::from_secs(2);
const PER_SECOND: u32 = 100;

/// An IngressRoute that no root delegates to.
pub fn orphan(number: usize) -> Value {
    ingress_route("team", &format!("orphan-{number}"), None, &[])
}

/// How many IngressRoutes have this state.
pub fn count(cluster: &Cluster, state: &str) -> usize {
    cluster.list(&orphan(0)).iter().filter(|route| route["status"]["currentStatus"] == state).count()
}

/// A change of an object.
struct Made {
    at: Instant,
    generation: u64,
}

/// Changes `objects` orphans at 100 changes a second for a while. The status of each is about its newest generation within two
/// seconds. Returns the number of changes, and the longest lag that was seen.
pub fn follow_changes(cluster: &Cluster, objects: usize, length: Duration) -> (usize, Duration) {
    let mut last: Vec<Option<Made>> = (0..objects).map(|_| None).collect();
    let (start, mut changes, mut longest, mut looked) = (Instant::now(), 0_usize, Duration::ZERO, Instant::now());
    while start.elapsed() < length {
        let number = changes % objects;
        let route = json!({"match": format!("/{changes}"), "services": [{"name": "shop", "port": 80}]});
        let generation = cluster.patch_spec(&orphan(number), &json!({"routes": [route]}));
        last[number] = Some(Made { at: Instant::now(), generation });
        changes += 1;
        if looked.elapsed() > Duration::from_millis(500) {
            looked = Instant::now();
            longest = longest.max(lag(cluster, &last));
        }
        let next = start + Duration::from_secs(1) * u32::try_from(changes).expect("few") / PER_SECOND;
        sleep(next.saturating_duration_since(Instant::now()));
    }
    let end = must_within(LIMIT, "every status is about the newest generation", || lag(cluster, &last).is_zero());
    (changes, longest.max(end))
}

/// For how long the most outdated status has been outdated.
fn lag(cluster: &Cluster, last: &[Option<Made>]) -> Duration {
    let mut longest = Duration::ZERO;
    let asked = Instant::now();
    for route in cluster.list(&orphan(0)) {
        let number = route["metadata"]["name"].as_str().and_then(|name| name.strip_prefix("orphan-")?.parse().ok());
        let made = number.and_then(|number: usize| last.get(number)?.as_ref());
        let Some(Made { at, generation }) = made else { continue };
        if route["status"]["observedGeneration"].as_u64() < Some(*generation) {
            longest = longest.max(asked - *at);
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
    let gate = cluster.replica("");
    let (start, mut waits) = (Instant::now(), Vec::new());
    must_within(Duration::from_secs(20), "all are compared", || {
        gate.metric("portcullis_status_queued") > Some(4_000.0)
    });
    let limit = Duration::from_secs(60);
    let done = until(limit, || {
        let fresh = ingress_route("web", &format!("fresh-{}", waits.len()), None, &[]);
        cluster.apply(&fresh);
        waits.push(cluster.expect_state(&fresh, limit, "orphaned"));
        sleep(Duration::from_secs(1));
        (gate.metric("portcullis_status_queued") == Some(0.0)).then(|| start.elapsed())
    });
    assert_eq!(count(&cluster, "orphaned"), OBJECTS + waits.len());
    let done = done.unwrap_or_else(|| panic!("not within {limit:?}\n{}", gate.log()));
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
