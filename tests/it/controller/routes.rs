//! Gateways and their routes, and another controller that writes into the same list.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use axum::http::Request;
use serde_json::{Value, json};

use super::fixture::{Cluster, SOON, condition};
use super::objects::{address, gateway, gateway_class, http_route, proxy, service};
use crate::e2e::report::figure;
use crate::harness::{Channel, PortcullisServer, eventually, path_of, versions};
use portcullis_testing::rng::Rng;

/// Publishes the addresses of a Service.
pub const CONFIG: &str = "status: {publishService: [{namespace: web, name: proxy}]}\n";

/// A cluster with a class of the controller, and a Service with an address.
fn prepared(cluster: Cluster) -> Cluster {
    cluster.grant("gateway-status");
    cluster.apply(&proxy());
    cluster.patch_status(&proxy(), &address("192.0.2.1"));
    cluster
}

/// Attaches a route to a Gateway.
fn attach(cluster: &Cluster) -> (Value, Value) {
    let (gateway, route) = (gateway("edge", "own"), http_route("shop", &["edge"], "shop.example.com"));
    for object in [&gateway_class("own"), &gateway, &service("web"), &route] {
        cluster.apply(object);
    }
    (gateway, route)
}

/// The entry of Portcullis for the first parent.
pub fn own(status: &Value) -> &Value {
    let all = status["parents"].as_array().into_iter().flatten();
    all.into_iter().find(|entry| entry["controllerName"] == "portcullis.dev/controller").unwrap_or(&Value::Null)
}

fn is(status: &Value, name: &str, value: &str) -> bool {
    condition(status, name)["status"] == value
}

/// The CRDs of each bundle replace those of the one before.
pub fn gateways_and_routes_follow_each_change() {
    let cluster = prepared(Cluster::new());
    for version in versions() {
        cluster.control_plane.upgrade_gateway_api(version, Channel::Standard);
        let (gateway, route) = attach(&cluster);
        let server = cluster.replica(CONFIG);
        each_change(&cluster, &gateway, &route);
        at_rest(&cluster, &server, version);
        cluster.delete(&service("web"));
        assert!(server.terminate().0.success());
    }
}

fn each_change(cluster: &Cluster, gateway: &Value, route: &Value) {
    let class = gateway_class("own");
    let is_attached = |count: u64| move |status: &Value| status["listeners"][0]["attachedRoutes"] == count;
    cluster.expect(&class, Duration::from_secs(20), |status| is(status, "SupportedVersion", "True"));
    cluster.expect(gateway, SOON, is_attached(1));
    cluster.expect(gateway, SOON, |status| is(status, "Accepted", "True") && is(status, "Programmed", "Unknown"));
    // The field `routability` exists only in the concept document.
    let addresses = cluster.status(gateway)["addresses"].clone();
    assert_eq!(addresses[0], json!({"type": "IPAddress", "value": "192.0.2.1"}));
    assert!(!addresses.to_string().contains("routability"), "{addresses}");
    cluster
        .expect(route, SOON, |status| is(own(status), "Accepted", "True") && is(own(status), "ResolvedRefs", "True"));
    for object in [&class, gateway, route] {
        assert_eq!(cluster.printed_status(object, CONFIG), cluster.status(object), "the command prints what is stored");
    }
    let mut times = Vec::new();
    cluster.delete(&service("web"));
    times.push(cluster.expect(route, SOON, |status| is(own(status), "ResolvedRefs", "False")));
    eventually("an Event tells of the backend", || !cluster.events(route, "BackendNotFound").is_empty());
    cluster.apply(&service("web"));
    times.push(cluster.expect(route, SOON, |status| is(own(status), "ResolvedRefs", "True")));
    let mut renamed = gateway.clone();
    renamed["spec"]["listeners"][0]["name"] = "other".into();
    renamed["spec"]["listeners"][0]["hostname"] = "other.example.com".into();
    cluster.apply(&renamed);
    times.push(cluster.expect(route, SOON, |status| is(own(status), "Accepted", "False")));
    times.push(cluster.expect(gateway, SOON, |status| status["listeners"].as_array().map(Vec::len) == Some(1)));
    cluster.expect(gateway, SOON, |status| status["listeners"][0]["name"] == "other" && is_attached(0)(status));
    cluster.apply(&http_route("shop", &["elsewhere"], "shop.example.com"));
    times.push(cluster.expect(route, SOON, |status| own(status).is_null()));
    eprintln!("statuses followed after {times:?}");
}

/// No status is written, and none was refused.
pub fn at_rest(cluster: &Cluster, server: &PortcullisServer, version: &str) {
    // An empty queue may be one into which the last change is yet to come.
    eventually("the last change is written", || {
        let writes = cluster.writes().len();
        thread::sleep(Duration::from_millis(500));
        server.metric("portcullis_status_queued") == Some(0.0) && cluster.writes().len() == writes
    });
    let writes = cluster.writes().len();
    thread::sleep(Duration::from_secs(2));
    let all = cluster.writes();
    assert_eq!(all.len(), writes, "{version}: at rest nothing is written\n{}", server.log());
    let refused = all.iter().find(|event| !matches!(event["responseStatus"]["code"].as_u64(), Some(200 | 409)));
    assert_eq!(refused, None, "{version}: a status was refused\n{}", server.log());
}

/// Another controller with an entry in the same list, which reads and replaces the whole list.
struct Rival<'c> {
    cluster: &'c Cluster,
    route: &'c Value,
    /// Its entry as it was stored last; `null` if it has none.
    stored: Value,
    rng: Rng,
}

impl<'c> Rival<'c> {
    fn of(cluster: &'c Cluster, route: &'c Value) -> Self {
        Self { cluster, route, stored: Value::Null, rng: Rng::new(1) }
    }

    /// Changes, moves or removes its entry, until its write is the first after its read. Panics if its last entry is lost.
    fn write(&mut self, number: usize) {
        loop {
            let mut object = self.cluster.get(self.route);
            let mut parents = object["status"]["parents"].as_array().cloned().unwrap_or_default();
            let position = parents.iter().position(|entry| entry["controllerName"] == RIVAL);
            let known = position.map_or(Value::Null, |position| parents.remove(position));
            assert_eq!(known, self.stored, "its entry was lost before write {number}");
            let entry = if self.rng.one_in(8) { Value::Null } else { entry("theirs", number) };
            if !entry.is_null() {
                parents.insert(self.rng.below(parents.len() + 1), entry.clone());
            }
            object["status"]["parents"] = parents.into();
            let uri = format!("{}/status?fieldManager=rival", path_of(self.route));
            let body = object.to_string().into_bytes();
            match self.cluster.http.send_as(Request::put(uri), "application/json", body) {
                (200, _) => return self.stored = entry,
                (409, _) => {}
                (status, answer) => panic!("{status}: {}", String::from_utf8_lossy(&answer)),
            }
        }
    }
}

const RIVAL: &str = "example.com/rival";

/// An entry of the other controller about a Gateway of this name.
fn entry(gateway: &str, number: usize) -> Value {
    let condition = json!({
        "type": "Accepted", "status": if number.is_multiple_of(2) { "True" } else { "False" }, "reason": "Rival",
        "message": format!("write {number}"), "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    let reference = json!({"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": gateway});
    json!({"parentRef": reference, "controllerName": RIVAL, "conditions": [condition]})
}

pub fn no_entry_is_lost_between_two_controllers() {
    two_controllers(100, 250);
}

/// The same with so many writes that rare interleavings occur.
pub fn no_entry_is_lost_in_many_writes() {
    two_controllers(1_000, 5_000);
}

/// Another controller changes its entry `flips` times while the route stays as it is, and then `writes` times while it changes.
fn two_controllers(flips: usize, writes: usize) {
    let cluster = prepared(Cluster::with_gateway_api());
    let (_, route) = attach(&cluster);
    let server = cluster.replica("");
    cluster.expect(&route, Duration::from_secs(20), |status| is(own(status), "Accepted", "True"));
    let count = |name: &str| {
        server.metric(&format!("portcullis_status_{name}_total{{kind=\"HTTPRoute\"}}")).unwrap_or_default()
    };
    // A write is counted once it has been answered.
    eventually("the write is counted", || count("written") >= 1.0);
    let (before, mut rival) = (count("written"), Rival::of(&cluster, &route));
    (0..flips).for_each(|number| rival.write(number));
    figure(&format!("another controller changes its entry {flips} times: own writes"), "0", count("written") - before);
    assert_eq!(count("written"), before, "an entry of another controller causes no write");

    let is_over = AtomicBool::new(false);
    let changes = thread::scope(|scope| {
        scope.spawn(|| {
            (0..writes).for_each(|number| rival.write(number));
            is_over.store(true, Ordering::Relaxed);
        });
        let mut changes = 0;
        while !is_over.load(Ordering::Relaxed) {
            changes += 1;
            cluster.apply(&http_route("shop", &["edge"], &format!("shop-{changes}.example.com")));
            thread::sleep(Duration::from_millis(30));
        }
        changes
    });
    let generation = cluster.get(&route)["metadata"]["generation"].clone();
    let is_newest = |status: &Value| condition(own(status), "Accepted")["observedGeneration"] == generation;
    cluster.expect(&route, Duration::from_secs(2), is_newest);
    let (written, conflicts) = (count("written") - before, count("conflicts"));
    let figures = format!("0 lost ({changes} changes of the route, {written} own writes, {conflicts} conflicts)");
    figure(&format!("another controller writes the same list {writes} times"), "0 lost", figures);
    assert!(written <= f64::from(changes) + 2.0, "{written} writes of ours for {changes} changes");
    a_full_list(&cluster);
}

/// Where the entries of others leave no room, one Event says so, and the own entry is added when there is room.
fn a_full_list(cluster: &Cluster) {
    let route = http_route("full", &["elsewhere"], "full.example.com");
    cluster.apply(&route);
    let mut parents: Vec<Value> = (0..32).map(|number| entry(&format!("theirs-{number}"), number)).collect();
    cluster.patch_status(&route, &json!({"parents": parents}));
    let mut attached = http_route("full", &["edge"], "full.example.com");
    cluster.apply(&attached);
    eventually("an Event says so", || !cluster.events(&route, "StatusListFull").is_empty());
    attached["spec"]["hostnames"] = json!(["other.example.com"]);
    cluster.apply(&attached);
    thread::sleep(Duration::from_secs(1));
    assert_eq!(cluster.status(&route)["parents"], json!(parents), "the entries of others stay");
    parents.truncate(31);
    cluster.patch_status(&route, &json!({"parents": parents}));
    cluster.expect(&route, SOON, |status| is(own(status), "Accepted", "True"));
    let events = cluster.events(&route, "StatusListFull");
    assert!(events.len() == 1 && events[0]["series"].is_null(), "it was sent once: {events:?}");
}
