//! HostRequests: which of them get a HostClaim, what their status says, and when the host is released.

use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use super::fixture::{Cluster, SOON, condition};
use crate::harness::{path_of, until};

const CONFIG: &str = "hostOwnership:
  hosts:
  - {host: '*.apps.example.com', namespaces: {names: [portcullis]}, claims: Required}
  - {host: '*.free.example.com', claims: Required}
  - {host: www.apps.example.com, namespaces: {names: [portcullis]}}
  grants:
  - {hosts: ['*.apps.example.com'], namespaces: {names: [web, team]}, maxPerNamespace: 2}
  - {hosts: ['*.free.example.com'], namespaces: {names: [web, team]}}
";

/// A status follows a grant, which follows a request.
const LATE: Duration = Duration::from_secs(10);

fn object(kind: &str, namespace: Option<&str>, name: &str, spec: Value) -> Value {
    let mut metadata = json!({"name": name});
    if let Some(namespace) = namespace {
        metadata["namespace"] = namespace.into();
    }
    json!({"apiVersion": "portcullis.dev/v1alpha1", "kind": kind, "metadata": metadata, "spec": spec})
}

/// A HostRequest.
pub fn request(namespace: &str, host: &str) -> Value {
    let name = host.replace('*', "wc--any");
    object("HostRequest", Some(namespace), &name, json!({"host": host, "reason": "a test"}))
}

/// A HostClaim.
pub fn claim(host: &str, namespace: &str) -> Value {
    object("HostClaim", None, host, json!({"host": host, "namespace": namespace}))
}

fn ingress(namespace: &str, host: &str) -> Value {
    let backend = json!({"service": {"name": "shop", "port": {"number": 80}}});
    let paths = json!([{"path": "/", "pathType": "Prefix", "backend": backend}]);
    let spec = json!({"ingressClassName": "public", "rules": [{"host": host, "http": {"paths": paths}}]});
    json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"namespace": namespace, "name": "shop"}, "spec": spec})
}

/// Whether the condition has this reason, and a message with these words.
fn is<'s>(reason: &'s str, words: &'s str) -> impl Fn(&Value) -> bool + 's {
    move |status| {
        let granted = condition(status, "Granted");
        granted["reason"] == reason && granted["message"].as_str().is_some_and(|text| text.contains(words))
    }
}

pub fn host_requests_are_granted_once() {
    let cluster = Cluster::new();
    for (component, files) in
        [("host-claims", ["hostclaims.yaml", "rbac.yaml"]), ("host-requests", ["hostrequests.yaml", "rbac.yaml"])]
    {
        files.iter().for_each(|file| cluster.install(component, file));
    }
    // The replica that leads grants; the other one would, too.
    let _first = cluster.replica_with(CONFIG, &["--release-hosts-after", "1s"]);
    let _second = cluster.replica_with(CONFIG, &["--release-hosts-after", "1s"]);

    let shop = request("web", "shop.apps.example.com");
    cluster.apply(&shop);
    cluster.expect(&shop, LATE, is("Granted", "HostClaim shop.apps.example.com gives host shop.apps.example.com"));
    let granted = claim("shop.apps.example.com", "web");
    let stored = cluster.get(&granted);
    assert_eq!(stored["spec"]["namespace"], "web");
    assert_eq!(stored["spec"]["reason"], "HostRequest web/shop.apps.example.com: a test");
    cluster.expect(&granted, LATE, is("Granted", "host shop.apps.example.com belongs to namespace web"));

    let late = request("team", "shop.apps.example.com");
    cluster.apply(&late);
    cluster.expect(&late, LATE, is("Conflicted", "belongs to namespace web by HostClaim shop.apps.example.com"));
    let listed = request("web", "www.apps.example.com");
    cluster.apply(&listed);
    cluster.expect(&listed, LATE, is("Conflicted", "by the entry www.apps.example.com of hostOwnership"));
    let wildcard = request("web", "*.apps.example.com");
    cluster.apply(&wildcard);
    cluster.expect(&wildcard, LATE, |status| condition(status, "Granted")["status"] == "False");
    let ignored = request("web", "shop.example.org");
    cluster.apply(&ignored);
    cluster.expect(&ignored, LATE, is("Pending", "ignores HostClaims"));

    let by_hand = request("portcullis", "cart.free.example.com");
    cluster.apply(&by_hand);
    let words = "ask the platform team to create HostClaim cart.free.example.com with namespace portcullis";
    cluster.expect(&by_hand, LATE, is("Pending", words));
    cluster.apply(&claim("cart.free.example.com", "portcullis"));
    cluster.expect(&by_hand, LATE, is("Granted", ""));

    let second = request("web", "cart.apps.example.com");
    cluster.apply(&second);
    cluster.expect(&second, LATE, is("Granted", ""));
    let third = request("web", "pay.apps.example.com");
    cluster.apply(&third);
    cluster.expect(&third, LATE, is("Pending", "owns 2 HostClaims"));

    // A host in use stays.
    cluster.apply(&ingress("web", "shop.apps.example.com"));
    cluster.delete(&shop);
    cluster.delete(&second);
    until(LATE, || cluster.get(&claim("cart.apps.example.com", "web"))["code"].eq(&404).then_some(()))
        .expect("released");
    cluster.expect(&third, Duration::from_secs(40), is("Granted", ""));
    assert_eq!(cluster.get(&granted)["spec"]["namespace"], "web", "an Ingress still serves it");
    cluster.delete(&ingress("web", "shop.apps.example.com"));
    cluster.expect(&late, Duration::from_secs(60), is("Granted", ""));
    assert_eq!(cluster.get(&granted)["spec"]["namespace"], "team");

    races(&cluster);
}

/// Two namespaces ask for many hosts at the same time: each host has one owner, and both are told.
fn races(cluster: &Cluster) {
    const HOSTS: usize = 60;
    let hosts: Vec<String> = (0..HOSTS).map(|number| format!("h{number}.free.example.com")).collect();
    thread::scope(|scope| {
        for namespace in ["web", "team"] {
            let hosts = &hosts;
            scope.spawn(move || hosts.iter().for_each(|host| cluster.apply(&request(namespace, host))));
        }
    });
    for host in &hosts {
        let outcome = |namespace: &str| {
            let request = request(namespace, host);
            let settled =
                |status: &Value| condition(status, "Granted")["reason"].as_str().unwrap_or_default().to_owned();
            let is_settled = |status: &Value| matches!(settled(status).as_str(), "Granted" | "Conflicted");
            cluster.expect(&request, SOON * 60, is_settled);
            settled(&cluster.status(&request))
        };
        let mut outcomes = ["web", "team"].map(outcome);
        outcomes.sort();
        assert_eq!(outcomes, ["Conflicted", "Granted"], "{host}: {}", path_of(&request("web", host)));
    }
}
