//! Namespaces that want a host at the same moment, with HostClaims that are required and two replicas that review: each host has one owner.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::fixture::Cluster;
use super::host_requests::request;
use crate::harness::{Balancer, Callee, Webhooks, process_guard};
use crate::live::policy_cluster::{OBJECTS, list_path};

const CONFIG: &str = "hostOwnership:
  claims: Required
  grants:
  - {hosts: ['*.apps.example.com'], namespaces: {names: [web, team]}, wildcards: true}
checks:
  host/path-conflict: Off
  host/cross-kind-conflict: Off
";

/// How many pairs are raced unless the variable PAIRS says so.
const PAIRS: usize = 100;
/// How many pairs are under way at once.
const AT_ONCE: usize = 8;
/// How long a namespace tries to get a host.
const PATIENCE: Duration = Duration::from_secs(60);
const BOTH: [&str; 2] = ["web", "team"];

/// Whether one namespace wants a wildcard above the host of the other. Both get their host if the wildcard is granted last.
fn has_wildcard(pair: usize) -> bool {
    pair.is_multiple_of(10)
}

fn hosts(pair: usize) -> [String; 2] {
    let host = format!("h{pair}.apps.example.com");
    if has_wildcard(pair) { [format!("*.{host}"), format!("shop.{host}")] } else { [host.clone(), host] }
}

/// An object with the host, whose kind depends on the pair.
fn object(pair: usize, position: usize, host: &str) -> Value {
    // A root has no wildcard.
    let kinds = if has_wildcard(pair) { OBJECTS.len() - 2 } else { OBJECTS.len() };
    let mut object = OBJECTS[(pair + position * (pair / kinds + 1)) % kinds](BOTH[position], host);
    object["metadata"]["name"] = format!("pair-{pair}").into();
    if let Some(tls) = object["spec"].get_mut("tls") {
        *tls = json!([{"hosts": [host]}]);
        object["spec"]["rules"][0]["host"] = host.into();
    }
    object
}

pub fn a_host_has_one_owner() {
    let cluster = Cluster::with_host_claims();
    cluster.install("host-claims", "rbac.yaml");
    ["hostrequests.yaml", "rbac.yaml"].iter().for_each(|file| cluster.install("host-requests", file));
    let certificates = process_guard().folder("certificates");
    let replicas = [(); 2].map(|()| cluster.replica_of(CONFIG, &certificates));
    let balancer = Balancer::of(&replicas.each_ref().map(|replica| replica.webhook), replicas[0].ca_pem());
    let _registered = cluster.control_plane.register(&balancer, Webhooks::validating());

    let pairs = std::env::var("PAIRS").map_or(PAIRS, |pairs| pairs.parse().expect("PAIRS is a number"));
    let (next, doubled) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(pair) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|pair| *pair < pairs) {
                    let stored = race(&cluster, pair);
                    assert_ne!(stored, 0, "pair {pair}: both were denied");
                    doubled.fetch_add(usize::from(stored == 2 && !has_wildcard(pair)), Ordering::Relaxed);
                }
            });
        }
    });
    let doubled = doubled.into_inner();
    println!("{pairs} pairs in {:?}: {doubled} hosts with two owners", start.elapsed());
    assert_eq!(doubled, 0);
}

/// Returns how many of the two namespaces could store an object.
fn race(cluster: &Cluster, pair: usize) -> usize {
    let hosts = hosts(pair);
    thread::scope(|scope| {
        let writers = [0, 1].map(|position| {
            let host = &hosts[position];
            scope.spawn(move || is_stored(cluster, &request(BOTH[position], host), &object(pair, position, host)))
        });
        writers.map(|writer| usize::from(writer.join().expect("each write is answered"))).iter().sum()
    })
}

/// Asks for the host, and creates the object as soon as it is admitted. Returns whether it was, before the host belonged to others.
fn is_stored(cluster: &Cluster, request: &Value, object: &Value) -> bool {
    let tenant = cluster.control_plane.http_as("tenant");
    cluster.apply(request);
    let start = Instant::now();
    loop {
        let (status, answer) = tenant.post(&list_path(object), object.to_string());
        let message = answer["message"].as_str().unwrap_or_default();
        match status {
            201 => return true,
            _ if message.contains("by its HostClaim") => return false,
            500.. => {}
            _ if message.contains("has no HostClaim") => {}
            _ => panic!("{status} {answer}: {request}"),
        }
        assert!(start.elapsed() < PATIENCE, "{message}: {object}");
        thread::sleep(Duration::from_millis(20));
    }
}
