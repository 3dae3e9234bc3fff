//! Ingresses of any size, as the API server writes them: in Go's field order, compact, with sorted maps and all
//! metadata of a stored object (labels, annotations with the last applied configuration, managed fields, status).

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Value, json};

use crate::metadata::{self, LAST_APPLIED, field_set, labels};

/// The class of all Ingresses.
pub const CLASS: &str = "public";
/// The number of Services in a namespace: `svc-0` and following, each with a port 8080 named `http`.
pub const SERVICES: usize = 12;

/// The maximum size of the annotation with the last applied configuration, in bytes. The API server refuses objects
/// whose annotations exceed 256 KiB in total, so this leaves space for the other annotations.
const LARGEST_LAST_APPLIED: usize = 250 << 10;

/// The properties in which one Ingress differs from the others.
pub struct Shape<'a> {
    /// The namespace.
    pub namespace: &'a str,
    /// The name, which is also part of its hosts.
    pub name: &'a str,
    /// The number of rules, each with its own host.
    pub hosts: usize,
    /// The number of paths of the rule with this number.
    pub paths: fn(usize) -> usize,
    /// The prefix of all paths, so that an old object can differ from the new one.
    pub prefix: &'a str,
}

/// Every host has one path, and every fifth host has a second one: 12 paths for 10 hosts.
pub fn usual_paths(host: usize) -> usize {
    1 + usize::from(host.is_multiple_of(5))
}

/// An `Ingress` of `networking.k8s.io/v1`, in the API server's field order.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ingress {
    kind: &'static str,
    api_version: &'static str,
    metadata: Metadata,
    spec: Spec,
    status: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Metadata {
    name: String,
    namespace: String,
    uid: String,
    generation: u32,
    creation_timestamp: &'static str,
    labels: BTreeMap<&'static str, String>,
    annotations: BTreeMap<&'static str, String>,
    managed_fields: [ManagedFields; 2],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ManagedFields {
    manager: &'static str,
    operation: &'static str,
    api_version: &'static str,
    time: &'static str,
    fields_type: &'static str,
    fields_v1: Value,
    #[serde(skip_serializing_if = "str::is_empty")]
    subresource: &'static str,
}

/// The `spec` of an Ingress.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Spec {
    ingress_class_name: &'static str,
    tls: Vec<Tls>,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Tls {
    hosts: Vec<String>,
    secret_name: String,
}

#[derive(Serialize)]
struct Rule {
    host: String,
    http: Http,
}

#[derive(Serialize)]
struct Http {
    paths: Vec<Path>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Path {
    path: String,
    path_type: &'static str,
    backend: Value,
}

impl Ingress {
    /// The Ingress of this shape. The same shape always gives the same bytes.
    pub fn new(shape: &Shape<'_>) -> Self {
        let spec = Spec::new(shape);
        Self {
            kind: "Ingress",
            api_version: "networking.k8s.io/v1",
            metadata: Metadata::new(shape, &spec),
            spec,
            status: json!({"loadBalancer": {}}),
        }
    }
}

impl Metadata {
    fn new(shape: &Shape<'_>, spec: &Spec) -> Self {
        let (labels, mut annotations) = (labels(shape.name), annotations(shape.name));
        let applied = last_applied(shape, &labels, &annotations, spec);
        if applied.len() <= LARGEST_LAST_APPLIED {
            annotations.insert(LAST_APPLIED, applied);
        }
        Self {
            name: shape.name.to_owned(),
            namespace: shape.namespace.to_owned(),
            uid: "7d0f7c55-0e3b-4c1c-9a53-3f2f4f1f6a10".to_owned(),
            generation: 1,
            creation_timestamp: "2026-11-02T08:15:30Z",
            managed_fields: managed_fields(&labels, &annotations),
            labels,
            annotations,
        }
    }
}

impl Spec {
    /// The spec of this shape.
    pub fn new(shape: &Shape<'_>) -> Self {
        let hosts: Vec<_> = (0..shape.hosts).map(|host| format!("host-{host}.{}.example.com", shape.name)).collect();
        let halves = hosts.chunks(shape.hosts.div_ceil(2)).enumerate();
        let tls = halves
            .map(|(half, hosts)| Tls { hosts: hosts.to_vec(), secret_name: format!("{}-tls-{half}", shape.name) });
        let tls = tls.collect();
        let rules = hosts.into_iter().enumerate().map(|(number, host)| Rule { host, http: Http::new(shape, number) });
        Self { ingress_class_name: CLASS, tls, rules: rules.collect() }
    }
}

impl Http {
    fn new(shape: &Shape<'_>, rule: usize) -> Self {
        Self { paths: (0..(shape.paths)(rule)).map(|path| Path::new(shape.prefix, rule, path)).collect() }
    }
}

impl Path {
    /// Alternates between Prefix and Exact. Every third Service is referred to by the name of its port.
    fn new(prefix: &str, rule: usize, path: usize) -> Self {
        let service = (rule + path) % SERVICES;
        let port = if service.is_multiple_of(3) { json!({"name": "http"}) } else { json!({"number": 8080}) };
        Self {
            path: format!("{prefix}/v{rule}/part-{path}"),
            path_type: if path.is_multiple_of(2) { "Prefix" } else { "Exact" },
            backend: json!({"service": {"name": format!("svc-{service}"), "port": port}}),
        }
    }
}

/// Nine typical annotations. The tenth is the last applied configuration.
fn annotations(name: &str) -> BTreeMap<&'static str, String> {
    let own = [
        ("cert-manager.io/cluster-issuer", "letsencrypt-production"),
        ("nginx.ingress.kubernetes.io/proxy-body-size", "16m"),
        ("nginx.ingress.kubernetes.io/proxy-connect-timeout", "5"),
        ("nginx.ingress.kubernetes.io/proxy-read-timeout", "60"),
        ("nginx.ingress.kubernetes.io/ssl-redirect", "true"),
    ];
    let mut annotations = metadata::annotations(name);
    annotations.extend(own.map(|(key, value)| (key, value.to_owned())));
    annotations
}

/// The last applied configuration, as `kubectl apply` records it.
fn last_applied(
    shape: &Shape<'_>,
    labels: &BTreeMap<&'static str, String>,
    annotations: &BTreeMap<&'static str, String>,
    spec: &Spec,
) -> String {
    let metadata =
        json!({"annotations": annotations, "labels": labels, "name": shape.name, "namespace": shape.namespace});
    let manifest = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": metadata, "spec": spec});
    metadata::last_applied(&manifest)
}

/// Two field managers. `rules` and `tls` are atomic, so a field set contains only their names.
fn managed_fields(labels: &BTreeMap<&str, String>, annotations: &BTreeMap<&str, String>) -> [ManagedFields; 2] {
    let owned = json!({
        "f:metadata": {"f:annotations": field_set(annotations), "f:labels": field_set(labels)},
        "f:spec": {"f:ingressClassName": {}, "f:rules": {}, "f:tls": {}},
    });
    let entry = |manager, time, fields_v1, subresource| ManagedFields {
        manager,
        operation: "Update",
        api_version: "networking.k8s.io/v1",
        time,
        fields_type: "FieldsV1",
        fields_v1,
        subresource,
    };
    let status = json!({"f:status": {"f:loadBalancer": {"f:ingress": {}}}});
    [
        entry("kubectl-client-side-apply", "2026-11-02T08:15:30Z", owned, ""),
        entry("ingress-controller", "2026-11-02T08:15:42Z", status, "status"),
    ]
}
