//! Measures the memory that the view keeps for the largest objects, in bytes per byte of their JSON: `cargo bench
//! --bench memory`.
//!
//! The allocator counts the bytes, so the figures do not depend on the machine.

#[allow(dead_code, reason = "the other bench uses the rest of it")]
#[path = "../reviews/table.rs"]
mod table;
#[allow(dead_code, reason = "the other benches use the rest of it")]
#[path = "../adversarial/world.rs"]
mod world;

use std::alloc::System;

use portcullis_core::cluster::{Cluster, Event, Facts, SyncState};
use portcullis_core::kinds::size::{MAX_ENTRIES, MAX_INCLUDES};
use portcullis_core::kinds::{Kind, decode};
use serde_json::{Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

use crate::table::{Table, figure};
use crate::world::{TENANT, object};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The maximum number of bytes that are kept for each byte of JSON.
const MOST: f64 = 2.0;
/// A number of objects of 1 MB that a tenant without a quota can store quickly.
const LARGE: usize = 25;
/// A number of objects of 8 KB.
const SMALL: usize = 1_000;

fn main() {
    let many =
        |count: usize, object: fn(&str) -> Value| (0..count).map(|number| object(&format!("o{number}"))).collect();
    // Some rows use names that several objects share, others use unique names, since the indexes keep different amounts.
    let pair: fn() -> Vec<Value> = || ["one", "two"].map(services_of_one_route).into();
    let together = [
        ("HTTPProxies of includes", Kind::HttpProxy, many(LARGE, http_proxy)),
        ("IngressRoutes", Kind::IngressRoute, many(LARGE, ingress_route)),
        ("IngressRoutes of the same Services", Kind::IngressRoute, pair()),
        ("IngressRoutes of the same Services", Kind::IngressRoute, many(LARGE, services_of_one_route)),
        ("HTTPRoutes", Kind::HttpRoute, many(SMALL, http_route)),
        ("ReferenceGrants", Kind::ReferenceGrant, many(SMALL, grant)),
    ];
    let one = objects().into_iter().map(|(name, kind, object)| (name, kind, vec![object]));
    let rows = one.chain(together).map(|(name, kind, objects)| {
        let texts: Vec<String> = objects.iter().map(Value::to_string).collect();
        let json: usize = texts.iter().map(String::len).sum();
        let kept = kept(kind, &texts);
        let count = texts.len();
        let name = format!("{count} {name}: {} KB of JSON, {} KB kept", json / 1_000, kept / 1_000);
        figure(&name, kept as f64 / json as f64, Some(MOST))
    });
    println!("{}", Table { figures: vec!["bytes kept for each of JSON"], rows: rows.collect() });
}

/// The bytes that a view keeps for these objects.
fn kept(kind: Kind, texts: &[String]) -> usize {
    let mut cluster = Cluster::with(SyncState::Complete);
    let counted = Region::new(ALLOCATOR);
    for text in texts {
        let object = decode(kind, text).expect("the largest objects can be read");
        cluster.apply(Event::Apply(Facts::of(&object)));
    }
    let change = counted.change();
    drop(cluster);
    change.bytes_allocated.saturating_sub(change.bytes_deallocated)
}

fn objects() -> Vec<(&'static str, Kind, Value)> {
    vec![
        ("Ingress of many paths", Kind::Ingress, ingress(1, MAX_ENTRIES)),
        ("Ingress of many hosts", Kind::Ingress, ingress(MAX_ENTRIES / 2, 1)),
        ("HTTPRoute", Kind::HttpRoute, http_route("route")),
        ("IngressRoute", Kind::IngressRoute, ingress_route("route")),
        ("IngressRoute of many Services", Kind::IngressRoute, services_of_one_route("route")),
        ("IngressRoute of one Service's ports", Kind::IngressRoute, ports_of_one_service("route")),
        ("IngressRoute of delegations", Kind::IngressRoute, delegations("route")),
        ("HTTPProxy of includes", Kind::HttpProxy, http_proxy("proxy")),
        ("HTTPProxy of short includes", Kind::HttpProxy, short_includes("proxy")),
        ("HTTPProxy of routes", Kind::HttpProxy, routes_of_a_proxy()),
        ("ListenerSet", Kind::ListenerSet, listener_set()),
        ("ReferenceGrant", Kind::ReferenceGrant, grant("grant")),
    ]
}

fn http_route(name: &str) -> Value {
    world::http_route(TENANT, name, world::sets(32))
}

fn ingress(hosts: usize, paths: usize) -> Value {
    let path = |number: usize| json!({"path": format!("/{number}"), "pathType": "Prefix", "backend": {"service": {"name": "s", "port": {"number": 80}}}});
    let paths: Value = (0..paths).map(path).collect();
    let rule = |number: usize| json!({"host": format!("h{number}.b.example.org"), "http": {"paths": paths}});
    object(
        Kind::Ingress,
        TENANT,
        "ingress",
        json!({"ingressClassName": "public", "rules": (0..hosts).map(rule).collect::<Value>()}),
    )
}

fn ingress_route(name: &str) -> Value {
    let route = |number: usize| match number % 10 {
        0 => {
            json!({"match": format!("/{number}"), "delegate": {"name": format!("v{number}"), "namespace": format!("n{number}")}})
        }
        _ => json!({"match": format!("/{number}"), "services": [{"name": format!("{name}-{number}"), "port": 80}]}),
    };
    let routes: Value = (0..MAX_INCLUDES * 9).map(route).collect();
    object(Kind::IngressRoute, TENANT, name, json!({"virtualhost": {"fqdn": "b.example.org"}, "routes": routes}))
}

/// The shortest text for each Service.
fn services_of_one_route(name: &str) -> Value {
    let services: Value = (0..MAX_ENTRIES).map(|number| json!({"name": format!("s{number}"), "port": 80})).collect();
    object(Kind::IngressRoute, TENANT, name, json!({"routes": [{"match": "/", "services": services}]}))
}

fn ports_of_one_service(name: &str) -> Value {
    let services: Value = (0..MAX_ENTRIES).map(|number| json!({"name": "s", "port": 1 + number})).collect();
    object(Kind::IngressRoute, TENANT, name, json!({"routes": [{"match": "/", "services": services}]}))
}

/// The shortest text for each delegation.
fn delegations(name: &str) -> Value {
    let route = |number: usize| json!({"match": format!("/{number}"), "delegate": {"name": format!("v{number}")}});
    object(Kind::IngressRoute, TENANT, name, json!({"routes": (0..MAX_ENTRIES).map(route).collect::<Value>()}))
}

/// The shortest text for each include.
fn short_includes(name: &str) -> Value {
    let includes: Value = (0..MAX_INCLUDES).map(|number| json!({"name": format!("p{number}")})).collect();
    object(Kind::HttpProxy, TENANT, name, json!({"includes": includes}))
}

/// An HTTPProxy of 1.2 MB. Each of its includes refers to another namespace.
fn http_proxy(name: &str) -> Value {
    let include = |number: usize| {
        let header = json!({"name": format!("x-{number}"), "exact": "x".repeat(400)});
        let conditions = json!([{"prefix": format!("/{number}")}, {"header": header}]);
        json!({"name": format!("p{number}"), "namespace": format!("team-{number}"), "conditions": conditions})
    };
    let includes: Value = (0..MAX_INCLUDES).map(include).collect();
    let host = json!({"fqdn": format!("{name}.b.example.org")});
    object(Kind::HttpProxy, TENANT, name, json!({"virtualhost": host, "includes": includes}))
}

fn routes_of_a_proxy() -> Value {
    let route = |number: usize| json!({"conditions": [{"prefix": format!("/{number}")}], "services": [{"name": "s", "port": 80}]});
    let routes: Value = (0..MAX_ENTRIES / 2).map(route).collect();
    object(Kind::HttpProxy, TENANT, "proxy", json!({"virtualhost": {"fqdn": "b.example.org"}, "routes": routes}))
}

fn listener_set() -> Value {
    let listener = |number: usize| json!({"name": format!("l{number}"), "port": 1_000 + number, "protocol": "HTTP", "hostname": format!("h{number}.b.example.org")});
    object(
        Kind::ListenerSet,
        TENANT,
        "set",
        json!({"parentRef": {"name": "edge"}, "listeners": (0..64).map(listener).collect::<Value>()}),
    )
}

fn grant(name: &str) -> Value {
    let from = |number: usize| json!({"group": "gateway.networking.k8s.io", "kind": "HTTPRoute", "namespace": format!("team-{number}")});
    let to = |number: usize| json!({"group": "", "kind": "Service", "name": format!("s{number}")});
    object(
        Kind::ReferenceGrant,
        TENANT,
        name,
        json!({"from": (0..16).map(from).collect::<Value>(), "to": (0..16).map(to).collect::<Value>()}),
    )
}
