//! Random Ingresses, most of them with many faults, and the cluster in which they are created.

use portcullis_testing::rng::Rng;
use serde_json::{Map, Value, json};

/// A configuration in which every check denies.
pub const ALL_DENY: &str = r#"
checks:
  "*": Deny
  ingress/annotation-forbidden: {annotations: [{key: example.com/*, value: evil}]}
  host/not-unique: Deny
  ingress/annotation-risky: {action: Deny, maxRisk: Low}
  ingress/https-missing: Deny
  ingress/hosts-too-many: {action: Deny, maxHosts: 1}
  ingress/class-not-allowed: {classes: [{class: internal, namespaces: {names: [bank]}}]}
  ingress/path-forbidden-text: {substrings: [etc]}
  ingress/port-not-allowed: {deny: [22]}
hostOwnership:
  hosts: [{host: bank.example.org, namespaces: {names: [bank]}}, {host: "*.bank.example.org", namespaces: {names: [bank]}}]
"#;

/// The cluster: conflicting objects of another namespace, an object of the same namespace, classes and a Service.
pub const CLUSTER: &str = r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {namespace: bank, name: first}
spec:
  ingressClassName: nginx
  rules:
  - host: taken.example.com
    http: {paths: [{path: /, pathType: Prefix}, {path: /a, pathType: Prefix}, {path: /a, pathType: Exact}, {path: /b//c, pathType: Prefix}]}
  - host: "*.example.com"
    http: {paths: [{path: /, pathType: Prefix}, {path: /a, pathType: Prefix}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {namespace: arms, name: second}
spec:
  ingressClassName: nginx
  rules:
  - host: taken.example.com
    http: {paths: [{path: /, pathType: Prefix}, {path: /a, pathType: Prefix}]}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {namespace: web, name: neighbour}
spec:
  ingressClassName: nginx
  rules:
  - host: shop.example.com
    http: {paths: [{path: /, pathType: Prefix}, {path: /a, pathType: Prefix}]}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: nginx}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: internal}
---
apiVersion: v1
kind: Service
metadata: {namespace: web, name: cart}
spec: {ports: [{name: http, port: 80}, {name: ssh, port: 22}]}
"#;

const HOSTS: [&str; 12] = [
    "",
    "shop.example.com",
    "taken.example.com",
    "*.example.com",
    "*.bank.example.org",
    "bank.example.org",
    "free.example.net",
    "10.0.0.1",
    "under_score.example.com",
    "a.*.example.com",
    "Capital.example.com",
    "a123456789012345678901234567890123456789012345678901234567890123456789.example.com",
];
const PATHS: [&str; 14] = [
    "",
    "/",
    "/a",
    "/a/",
    "/a//",
    "/b//c",
    "/c/../d",
    "/%2e%2e/e",
    "/f%2Fg",
    "relative",
    "/h i",
    "/j.*",
    "/etc/k",
    "/%zz",
];
const TYPES: [&str; 6] = ["", "Exact", "Prefix", "Prefix", "ImplementationSpecific", "exact"];
const ANNOTATIONS: [(&str, &str); 7] = [
    ("kubernetes.io/ingress.class", "nginx"),
    ("kubernetes.io/ingress.class", "internal"),
    ("nginx.ingress.kubernetes.io/server-snippet", "return 200;"),
    ("nginx.ingress.kubernetes.io/server-alias", "bank.example.org,free.example.net"),
    ("nginx.ingress.kubernetes.io/rewrite-target", "/x\nreturn 200"),
    ("nginx.ingress.kubernetes.io/canary", "true"),
    ("example.com/mood", "evil"),
];

/// An Ingress `web/shop` with up to five rules and up to three TLS entries.
pub fn ingress(rng: &mut Rng) -> Value {
    let mut annotations = Map::new();
    for _ in 0..rng.below(3) {
        let (key, value) = rng.pick(&ANNOTATIONS);
        annotations.insert(key.to_owned(), value.into());
    }
    let mut spec = Map::new();
    // Only a few hosts, so that rules repeat them.
    let hosts = [rng.pick(&HOSTS), rng.pick(&HOSTS), rng.pick(&HOSTS)];
    let rules = (0..rng.below(6)).map(|_| rule_of(rng, &hosts)).collect();
    spec.insert("rules".to_owned(), rules);
    spec.insert("tls".to_owned(), (0..rng.below(4)).map(|_| tls(rng)).collect());
    set(&mut spec, "ingressClassName", rng.pick(&["", "nginx", "nginx", "internal", "ghost"]));
    if rng.one_in(4) {
        spec.insert("defaultBackend".to_owned(), backend(rng));
    }
    json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "Ingress",
        "metadata": {"namespace": "web", "name": "shop", "annotations": annotations}, "spec": spec,
    })
}

/// A rule with up to three paths.
pub fn rule(rng: &mut Rng) -> Value {
    rule_of(rng, &HOSTS)
}

fn rule_of(rng: &mut Rng, hosts: &[&str]) -> Value {
    let mut rule = Map::new();
    set(&mut rule, "host", rng.pick(hosts));
    if !rng.one_in(8) {
        let paths: Value = (0..rng.below(4)).map(|_| path(rng)).collect();
        rule.insert("http".to_owned(), json!({"paths": paths}));
    }
    rule.into()
}

fn path(rng: &mut Rng) -> Value {
    let mut path = Map::new();
    set(&mut path, "path", rng.pick(&PATHS));
    set(&mut path, "pathType", rng.pick(&TYPES));
    path.insert("backend".to_owned(), backend(rng));
    path.into()
}

fn backend(rng: &mut Rng) -> Value {
    match rng.below(13) {
        0 => json!({}),
        1 => json!({"service": {"name": "cart"}}),
        2 => json!({"service": {"name": "cart", "port": {"number": 80, "name": "http"}}}),
        3 => json!({"service": {"name": "Cart", "port": {"number": 80}}}),
        4 => json!({"service": {"name": "cart", "port": {"number": 70_000}}}),
        5 => json!({"service": {"name": "cart", "port": {"name": "HTTP"}}}),
        6 => json!({"service": {"port": {"number": 80}}}),
        7 => json!({"service": {"name": "cart", "port": {"number": 22}}}),
        8 => json!({"service": {"name": "ghost", "port": {"number": 80}}}),
        9 => json!({"service": {"name": "cart"}, "resource": {"kind": "Bucket", "name": "cart"}}),
        10 => json!({"resource": {"apiGroup": "acme.io/networking", "kind": "Bucket", "name": "cart"}}),
        11 => json!({"resource": {"kind": "a/b"}}),
        _ => json!({"service": {"name": "cart", "port": {"number": 80}}}),
    }
}

fn tls(rng: &mut Rng) -> Value {
    let hosts: Vec<_> = (0..rng.below(3)).map(|_| rng.pick(&HOSTS)).filter(|host| !host.is_empty()).collect();
    json!({"hosts": hosts, "secretName": rng.pick(&["shop", "Shop", "shop_tls"])})
}

/// Sets `field`, unless the value is empty.
fn set(map: &mut Map<String, Value>, field: &str, value: &str) {
    if !value.is_empty() {
        map.insert(field.to_owned(), value.into());
    }
}
