//! Ingresses of one host, and hosts that those of the namespace `web` claim for a while.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::cluster::Cluster;
use super::load::create_ingress;
use crate::harness::text;

const PATH: &str = "/apis/networking.k8s.io/v1/namespaces/web/ingresses";

/// An Ingress with one host and one path.
pub fn ingress(name: &str, host: &str, path: &str) -> Value {
    let backend = json!({"service": {"name": "shop", "port": {"number": 80}}});
    let paths = json!([{"path": path, "pathType": "Prefix", "backend": backend}]);
    json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": name},
        "spec": {"ingressClassName": "public", "rules": [{"host": host, "http": {"paths": paths}}]},
    })
}

/// The Ingress that claims a host, with its name.
fn claimant(host: &str) -> Value {
    let mut claimant = ingress(host, host, "/");
    claimant["metadata"]["namespace"] = "web".into();
    claimant["metadata"]["labels"] = json!({"e2e": "claims"});
    claimant
}

/// Creates the Ingress that claims a host.
pub fn claim(cluster: &Cluster, host: &str) {
    let (status, answer) = cluster.http().post(PATH, claimant(host).to_string());
    assert_eq!(status, 201, "{answer}");
}

/// Creates the Ingresses that claim these hosts.
pub fn claim_all(cluster: &Cluster, hosts: &[String]) {
    let items: Vec<Value> = hosts.iter().map(|host| claimant(host)).collect();
    let list = json!({"apiVersion": "v1", "kind": "List", "items": items});
    cluster.kubectl("create --filename -").stdin(&list.to_string()).run().accepted();
}

/// Deletes the Ingress that claims a host.
pub fn release(cluster: &Cluster, host: &str) {
    let (status, answer) = cluster.http().delete(&format!("{PATH}/{host}"));
    assert_eq!(status, 200, "{answer}");
}

/// Deletes every Ingress that was created here.
pub fn release_all(cluster: &Cluster) {
    let (status, answer) = cluster.http().delete(&all());
    assert_eq!(status, 200, "{answer}");
}

/// The path of all of them.
fn all() -> String {
    format!("{PATH}?labelSelector=e2e%3Dclaims")
}

/// The claimed hosts, by a new list of the API server.
pub fn claimed(cluster: &Cluster) -> BTreeSet<String> {
    let (status, list) = cluster.http().get(&all());
    assert_eq!(status, 200, "{list}");
    let list: Value = serde_json::from_str(&list).expect("a list is JSON");
    list["items"].as_array().expect("a list has items").iter().map(|item| text(&item["metadata"]["name"])).collect()
}

/// Whether it is denied that another namespace claims a host.
pub fn is_denied(cluster: &Cluster, host: &str) -> bool {
    create_ingress(&cluster.http(), host, "/").0 == 422
}
