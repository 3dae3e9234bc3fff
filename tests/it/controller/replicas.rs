//! Two replicas, of which the holder of the Lease writes.

use std::collections::BTreeMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fixture::{Cluster, SOON};
use super::objects::{gateway, gateway_class, http_route, ingress, ingress_class, ingress_route, service};
use super::rates::{Followed, count, follow_changes, orphan};
use crate::e2e::report::{figure, within};
use crate::harness::{PortcullisServer, eventually, must_within};

fn written(server: &PortcullisServer) -> f64 {
    server.metric(r#"portcullis_status_written_total{kind="IngressRoute"}"#).unwrap_or_default()
}

/// Two replicas, of which the first leads as soon as it runs.
fn pair(cluster: &Cluster) -> [PortcullisServer; 2] {
    let holder = cluster.replica("");
    eventually("the first replica leads", || holder.is_leader());
    [holder, cluster.replica("")]
}

/// How often each object was written, by name.
fn writes(cluster: &Cluster) -> BTreeMap<String, usize> {
    let mut writes: BTreeMap<String, usize> = BTreeMap::new();
    for event in cluster.writes().iter().filter(|event| event["responseStatus"]["code"] == 200) {
        *writes.entry(event["objectRef"]["name"].as_str().unwrap_or_default().to_owned()).or_default() += 1;
    }
    writes
}

pub fn at_rest_nothing_is_written() {
    const OBJECTS: usize = 300;
    let cluster = Cluster::new();
    cluster.apply_all(&(0..OBJECTS).map(orphan).collect::<Vec<_>>());
    let [holder, other] = pair(&cluster);
    eventually("all are written", || count(&cluster, "orphaned") == OBJECTS);
    eventually("the holder has counted them", || written(&holder) >= 300.0);
    assert_eq!(cluster.writes().len(), OBJECTS, "each once");
    assert_eq!(written(&other), 0.0);
    let metric = |server: &PortcullisServer| server.metric(r#"contour_ingressroute_total{namespace="team"}"#);
    assert_eq!((metric(&holder), metric(&other)), (Some(300.0), None), "the holder alone exports the gauges");
    let Followed { changes, rate, lag } = follow_changes(&cluster, OBJECTS, Duration::from_secs(3));
    eprintln!("{changes} changes at {rate:.0} a second: no status was outdated for longer than {lag:?}");
    let writes = cluster.writes().len();
    sleep(Duration::from_secs(5));
    assert_eq!(cluster.writes().len(), writes, "at rest nothing is written");
    assert_eq!(holder.metric("portcullis_status_queued"), Some(0.0));
}

/// 1,000 objects of all kinds with a status at rest for ten minutes, after 100 changes a second for a minute.
pub fn at_rest_for_long() {
    const ROUTES: usize = 500;
    let cluster = Cluster::with_gateway_api();
    ["gateway-status", "ingress-status"].iter().for_each(|component| cluster.grant(component));
    let mut objects = vec![gateway_class("own"), service("web"), ingress_class("own", "portcullis.dev/controller")];
    objects.extend((0..9).map(|number| gateway(&format!("edge-{number}"), "own")));
    objects.iter().for_each(|object| cluster.apply(object));
    let host = |number: usize| format!("shop-{number}.example.com");
    let http = (0..300)
        .map(|number| http_route(&format!("route-{number}"), &[&format!("edge-{}", number % 9)], &host(number)));
    let ingresses = (0..188).map(|number| ingress(&format!("ingress-{number}"), "own"));
    cluster.apply_all(&(0..ROUTES).map(orphan).chain(http).chain(ingresses).collect::<Vec<_>>());
    let [holder, _other] = pair(&cluster);
    let minute = Duration::from_secs(60);
    let has_parent = |route: &Value| route["status"]["parents"][0]["conditions"].is_array();
    let routes = || cluster.list(&http_route("any", &[], "")).iter().filter(|route| has_parent(route)).count();
    must_within(minute, "all are written", || count(&cluster, "orphaned") == ROUTES && routes() == 300);
    let Followed { changes, rate, lag } = follow_changes(&cluster, ROUTES, minute);
    let what = format!("{changes} changes at {rate:.0} a second: a status is about the newest generation");
    within(&what, Duration::from_secs(2), lag);
    let before = cluster.writes().len();
    sleep(10 * minute);
    let after = cluster.writes().len();
    figure(
        "1,000 objects, two replicas, ten minutes at rest: writes in the audit log, without the Lease",
        "0",
        after - before,
    );
    assert_eq!(before, after, "at rest nothing is written\n{}", holder.log());
}

pub fn a_killed_holder_is_replaced() {
    killed_holder(600);
}

/// The same with 1,000 objects.
pub fn a_killed_holder_of_many() {
    killed_holder(1_000);
}

fn killed_holder(objects: usize) {
    const DELEGATED: usize = 20;
    let cluster = Cluster::new();
    ["web", "team"].into_iter().for_each(|namespace| cluster.apply(&service(namespace)));
    cluster.apply_all(&(0..objects).map(orphan).collect::<Vec<_>>());
    let [holder, other] = pair(&cluster);
    eventually("the holder is amid its writes", || written(&holder) > 200.0);
    holder.signal("KILL");
    let (killed, before) = (Instant::now(), count(&cluster, "orphaned"));
    assert!(before < objects, "the holder was killed too late");
    // From now on some of them have another status.
    for number in 0..DELEGATED {
        let (name, host) = (format!("root-{number}"), format!("shop-{number}.example.com"));
        cluster.apply(&ingress_route("web", &name, Some(&host), &[("/a", &format!("team/orphan-{number}"))]));
    }
    eventually("the other replica leads", || other.is_leader());
    within("the holder killed amid its writes: another replica leads", Duration::from_secs(20), killed.elapsed());
    eventually("it finishes", || {
        count(&cluster, "valid") == 2 * DELEGATED && count(&cluster, "orphaned") == objects - DELEGATED
    });
    eprintln!("{before} of {objects} were written before; all were right {:?} after the kill", killed.elapsed());
    let writes = writes(&cluster);
    let is_right = |(name, count): (&String, &usize)| {
        let number = name.strip_prefix("orphan-").and_then(|number| number.parse::<usize>().ok());
        *count == 1 || (*count == 2 && number.is_some_and(|number| number < DELEGATED))
    };
    assert!(writes.iter().all(is_right), "a replica writes again what the other has written: {writes:?}");
}

/// A holder that stands still for longer than its Lease writes nothing when it goes on.
pub fn a_stopped_holder_is_replaced() {
    const OBJECTS: usize = 600;
    const STOPPED: Duration = Duration::from_secs(40);
    let cluster = Cluster::new();
    cluster.apply_all(&(0..OBJECTS).map(orphan).collect::<Vec<_>>());
    let [holder, other] = pair(&cluster);
    eventually("the holder is amid its writes", || written(&holder) > 200.0);
    holder.signal("STOP");
    let stopped = Instant::now();
    eventually("the other replica leads", || other.is_leader());
    within("the holder stopped amid its writes: another replica leads", Duration::from_secs(20), stopped.elapsed());
    eventually("it finishes", || count(&cluster, "orphaned") == OBJECTS);
    // What the stopped replica had read is outdated from now on.
    let route = json!({"match": "/b", "services": [{"name": "shop", "port": 80}]});
    for number in 0..OBJECTS {
        cluster.patch_spec(&orphan(number), &json!({"routes": [route]}));
    }
    must_within(Duration::from_secs(20), "the other replica has written them again", || {
        let is_newest = |route: &Value| route["status"]["observedGeneration"] == route["metadata"]["generation"];
        cluster.list(&orphan(0)).iter().all(is_newest)
    });
    sleep(STOPPED.saturating_sub(stopped.elapsed()));
    let before = cluster.writes().len();
    holder.signal("CONT");
    eventually("the first replica knows that it does not lead", || !holder.is_leader());
    sleep(Duration::from_secs(5));
    assert_eq!(cluster.writes().len(), before, "nothing is written after it goes on\n{}", holder.log());
    let most = writes(&cluster).into_values().max();
    assert!(most <= Some(2), "an object was written {most:?} times for two statuses");
    cluster.apply(&ingress_route("web", "last", None, &[]));
    cluster.expect_state(&ingress_route("web", "last", None, &[]), SOON, "orphaned");
}
