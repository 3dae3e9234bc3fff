//! Gateways and their routes, and another controller that writes into the same list.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use axum::http::Request;
use serde_json::{Value, json};

use super::fixture::{Cluster, SOON, condition, gateway, gateway_class, http_route, path_of, service};
use crate::harness::{Channel, NEWEST, eventually};

/// A cluster in which a route is attached to a Gateway.
fn attached() -> (Cluster, Value, Value) {
    let cluster = Cluster::new();
    cluster.grant("gateway-status");
    cluster.cp.install_gateway_api(NEWEST, Channel::Standard);
    let (gateway, route) = (gateway("edge", "own"), http_route("shop", &["edge"], "shop.example.com"));
    for object in [&gateway_class("own"), &gateway, &service("web"), &route] {
        cluster.apply(object);
    }
    (cluster, gateway, route)
}

/// The entry of Portcullis for the first parent.
fn own(status: &Value) -> &Value {
    let all = status["parents"].as_array().into_iter().flatten();
    all.into_iter().find(|entry| entry["controllerName"] == "portcullis.dev/controller").unwrap_or(&Value::Null)
}

fn is(status: &Value, name: &str, value: &str) -> bool {
    condition(status, name)["status"] == value
}

pub fn gateways_and_routes_follow_each_change() {
    let (cluster, gateway, route) = attached();
    let gate = cluster.replica("");
    let is_attached = |count: u64| move |status: &Value| status["listeners"][0]["attachedRoutes"] == count;
    cluster.expect(&gateway, Duration::from_secs(20), is_attached(1));
    cluster.expect(&gateway, SOON, |status| is(status, "Accepted", "True") && !is(status, "Programmed", "True"));
    cluster
        .expect(&route, SOON, |status| is(own(status), "Accepted", "True") && is(own(status), "ResolvedRefs", "True"));
    let mut times = Vec::new();
    cluster.delete(&service("web"));
    times.push(cluster.expect(&route, SOON, |status| is(own(status), "ResolvedRefs", "False")));
    eventually("an Event tells of the backend", || !cluster.events(&route, "BackendNotFound").is_empty());
    cluster.apply(&service("web"));
    times.push(cluster.expect(&route, SOON, |status| is(own(status), "ResolvedRefs", "True")));
    let mut renamed = gateway.clone();
    renamed["spec"]["listeners"][0]["name"] = "other".into();
    renamed["spec"]["listeners"][0]["hostname"] = "other.example.com".into();
    cluster.apply(&renamed);
    times.push(cluster.expect(&route, SOON, |status| is(own(status), "Accepted", "False")));
    times.push(cluster.expect(&gateway, SOON, |status| status["listeners"].as_array().map(Vec::len) == Some(1)));
    cluster.expect(&gateway, SOON, |status| status["listeners"][0]["name"] == "other" && is_attached(0)(status));
    cluster.apply(&http_route("shop", &["elsewhere"], "shop.example.com"));
    times.push(cluster.expect(&route, SOON, |status| own(status).is_null()));
    eprintln!("statuses followed after {times:?}");
    let writes = cluster.writes().len();
    thread::sleep(Duration::from_secs(3));
    assert_eq!(cluster.writes().len(), writes, "at rest nothing is written\n{}", gate.log());
}

/// Another controller with an entry in the same list, which reads and replaces the whole list.
struct Rival<'c> {
    cluster: &'c Cluster,
    route: &'c Value,
    /// Its entry as it was stored last.
    stored: Value,
}

impl Rival<'_> {
    /// Writes until its write is the first after its read. Panics if its last entry is lost.
    fn write(&mut self, number: usize) {
        loop {
            let mut object = self.cluster.get(self.route);
            let mut parents = object["status"]["parents"].as_array().cloned().unwrap_or_default();
            let position = parents.iter().position(|entry| entry["controllerName"] == "example.com/rival");
            let known = position.map_or(Value::Null, |position| parents.remove(position));
            assert_eq!(known, self.stored, "its entry was lost before write {number}");
            let condition = json!({
                "type": "Accepted", "status": if number.is_multiple_of(2) { "True" } else { "False" }, "reason": "Rival",
                "message": format!("write {number}"), "lastTransitionTime": "2026-01-01T00:00:00Z",
            });
            let reference = json!({"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": "theirs"});
            let entry =
                json!({"parentRef": reference, "controllerName": "example.com/rival", "conditions": [condition]});
            parents.insert(position.unwrap_or_default(), entry.clone());
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

pub fn no_entry_is_lost_between_two_controllers() {
    const LENGTH: Duration = Duration::from_secs(12);
    let (cluster, _, route) = attached();
    let gate = cluster.replica("");
    cluster.expect(&route, Duration::from_secs(20), |status| is(own(status), "Accepted", "True"));
    let is_over = AtomicBool::new(false);
    let (writes, changes) = thread::scope(|scope| {
        let rival = scope.spawn(|| {
            let mut rival = Rival { cluster: &cluster, route: &route, stored: Value::Null };
            let mut writes = 0;
            while !is_over.load(Ordering::Relaxed) {
                writes += 1;
                rival.write(writes);
            }
            writes
        });
        let (start, mut changes) = (Instant::now(), 0);
        while start.elapsed() < LENGTH {
            changes += 1;
            cluster.apply(&http_route("shop", &["edge"], &format!("shop-{changes}.example.com")));
            thread::sleep(Duration::from_millis(30));
        }
        is_over.store(true, Ordering::Relaxed);
        (rival.join().expect("its entry is never lost"), changes)
    });
    let generation = cluster.get(&route)["metadata"]["generation"].clone();
    let is_newest = |status: &Value| condition(own(status), "Accepted")["observedGeneration"] == generation;
    cluster.expect(&route, Duration::from_secs(2), is_newest);
    let count = |name: &str| gate.metric(&format!("portcullis_status_{name}_total{{kind=\"HTTPRoute\"}}"));
    let (written, conflicts) = (count("written").unwrap_or_default(), count("conflicts").unwrap_or_default());
    eprintln!("{writes} writes of the rival, {changes} changes, {written} writes and {conflicts} conflicts of ours");
    assert!(writes > 200 && changes > 100, "{writes} writes of the rival, {changes} changes");
    assert!(written <= f64::from(changes) + 2.0, "{written} writes of ours for {changes} changes");
}
