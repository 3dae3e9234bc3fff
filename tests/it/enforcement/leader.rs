//! `serve --enforce`: the replica that holds the Lease does what `portcullis arm` does.

use std::collections::BTreeSet;
use std::thread;
use std::time::Duration;

use super::enforced;
use super::fixture::{self, Fixture, NO_SERVER};
use crate::harness::{FlakyProxy, PortcullisServer, eventually};

/// Longer than a replica with `--enforce` leaves the configuration alone, while nothing fails.
const TWO_LOOKS: Duration = Duration::from_secs(11);

/// `Fail` is set once both replicas answer, and after an installer has set `Ignore`; not after `portcullis disarm`.
pub fn the_leader_enforces() {
    let (fixture, control_plane) = (Fixture::behind_service(), fixture::control_plane());
    let proxy = FlakyProxy::to(control_plane.address());
    proxy.hold();
    let direct = format!("--kubeconfig={}", control_plane.kubeconfig().display());
    let through = format!("--kubeconfig={}", control_plane.kubeconfig_through(proxy.address).display());
    fixture.set_endpoints(&[("gate-a", true), ("gate-b", true)]);
    let second = fixture.enforcing("gate-b", &through);
    // Ready although nothing can be enforced.
    let first = fixture.enforcing("gate-a", &direct).ready();
    fixture.balancer.replace(NO_SERVER, first.webhook);
    fixture.balancer.add(second.webhook);
    says(&first, "[!]enforcement degraded: failurePolicy is not set to Fail: Service ");
    says(&first, ": no canary was denied by gate-b within 10s; ");
    assert_eq!((fixture.failing(), enforced_metric(&first)), (BTreeSet::new(), 0.0));
    first.logs("enforcement is not possible; retrying");

    proxy.resume();
    let second = second.ready();
    is_enforced(&fixture, &[&first, &second]);
    first.logs("failurePolicy set to Fail, after each replica denied a dry run");
    fixture.apply("").accepted();
    assert_eq!(fixture.failing(), BTreeSet::new(), "an upgrade sets what every manifest says");
    is_enforced(&fixture, &[&first, &second]);

    let disarmed = fixture.disarm();
    assert_eq!((disarmed.code(), fixture.failing()), (Some(0), BTreeSet::new()), "{disarmed}");
    for server in [&first, &second] {
        says(
            server,
            "[!]enforcement degraded: failurePolicy is Ignore since `portcullis disarm`; `portcullis arm` enforces again",
        );
    }
    fixture.apply("").accepted();
    thread::sleep(TWO_LOOKS);
    assert_eq!((fixture.failing(), enforced_metric(&first)), (BTreeSet::new(), 0.0), "an operator has stopped it");
    let armed = fixture.arm(&[]);
    assert_eq!((armed.code(), fixture.failing(), fixture.disarmed()), (Some(0), enforced(), None), "{armed}");
    fixture.apply("").accepted();
    is_enforced(&fixture, &[&first, &second]);
}

fn is_enforced(fixture: &Fixture, servers: &[&PortcullisServer]) {
    eventually("every entry that may enforce has Fail", || fixture.failing() == enforced());
    for server in servers {
        says(server, "[+]enforcement ok: failurePolicy is Fail\n");
        assert_eq!(enforced_metric(server), 1.0);
    }
}

/// Waits until `/readyz` of a server, which is ready all the time, has these words.
fn says(server: &PortcullisServer, words: &str) {
    eventually(words, || {
        let (status, text) = server.health().get("/readyz?verbose");
        assert_eq!(status, 200, "{text}");
        text.contains(words)
    });
}

fn enforced_metric(server: &PortcullisServer) -> f64 {
    server.metric("portcullis_enforced").expect("a server with --enforce has the metric")
}
