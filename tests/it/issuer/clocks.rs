//! Two replicas whose wall clocks are wrong by five minutes in both directions, before an API server whose clock is right.

use std::time::{Duration, Instant};

use jiff::{SignedDuration, Timestamp};

use super::fixture::{Cluster, Replica};
use crate::harness::{eventually, must_within, pause};

/// Longer than the Lease is valid without a renewal.
const WATCHED: Duration = Duration::from_secs(20);
/// How far the two clocks are apart, but for the time between two starts.
const APART: SignedDuration = SignedDuration::from_mins(10);

pub fn one_replica_leads_and_certificates_are_accepted() {
    let cluster = Cluster::new();
    let fast = cluster.replica_with_clock("+5m");
    eventually("the first replica leads", || fast.0.is_leader());
    let slow = cluster.replica_with_clock("-5m");
    let (later, earlier) = (expiry(&fast), expiry(&slow));
    let apart = later.duration_since(earlier);
    assert!(apart > APART - SignedDuration::from_mins(1) && apart <= APART, "the clocks are {apart:#} apart");

    for server in [&fast, &slow] {
        cluster.install_webhooks(server);
        eventually("the API server accepts its certificate", || cluster.is_guarded());
        eventually("nothing is wrong", || server.readiness().contains("[+]certificate ok\n"));
        assert!(cluster.accepts(server), "both webhook configurations trust it");
    }
    stays_leader(&fast, &slow);
    assert_eq!(cluster.lease()["leaseTransitions"], 1);

    // What the holder wrote lies ten minutes in the future of the other replica.
    drop(fast);
    let taken = must_within(Duration::from_secs(60), "the other replica leads", || slow.0.is_leader());
    eprintln!("a killed holder whose clock was ten minutes ahead was replaced after {taken:.1?}");

    // And now ten minutes in the past.
    let fast = cluster.replica_with_clock("+5m");
    stays_leader(&slow, &fast);
    assert_eq!(cluster.lease()["leaseTransitions"], 2);
    assert!(cluster.is_guarded() && cluster.accepts(&slow) && cluster.accepts(&fast));
}

/// When the certificate expires that a replica issued by its own clock.
fn expiry(server: &Replica) -> Timestamp {
    let line = server.0.logs("certificate issued");
    line["fields"]["not_after"].as_str().and_then(|text| text.parse().ok()).expect("a time in the log")
}

fn stays_leader(holder: &Replica, other: &Replica) {
    let start = Instant::now();
    while start.elapsed() < WATCHED {
        let [holds, takes] = [holder, other].map(|server| server.0.is_leader());
        assert!(holds && !takes, "after {:?}: {holds} and {takes}", start.elapsed());
        pause();
    }
}
