//! An API server on which policies hold instead of a webhook, and objects of each kind that name a host.

use std::fs;
use std::process::Command;
use std::time::Duration;

use portcullis::files::Manifest;
use portcullis_core::config::{API_VERSION, KIND};
use portcullis_testing::pages::manifests;
use serde_json::{Value, json};

use super::fixture::{NAMESPACES, list_of};
use crate::harness::{
    Channel, ControlPlane, Flavour, Http, NEWEST, crds, delegation_crds, host_claim_crds, process_guard, until,
};

/// How long the API server may take to apply a policy.
pub const LATE: Duration = Duration::from_secs(30);

/// Applies policies, and deletes those of an earlier export (docs/host-ownership.md).
const APPLY: &str = "apply --prune -l app.kubernetes.io/component=policies \
    --prune-allowlist=admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy \
    --prune-allowlist=admissionregistration.k8s.io/v1/ValidatingAdmissionPolicyBinding -f -";

/// An API server without a webhook.
pub struct Cluster {
    pub control_plane: ControlPlane,
    pub http: Http,
}

impl Cluster {
    pub fn new() -> Self {
        let crds = [crds(NEWEST, Channel::Experimental), delegation_crds(), host_claim_crds()].concat();
        let control_plane = ControlPlane::serving(Flavour::NoDefaultIngressClass, crds);
        let cluster = Self { http: control_plane.http(), control_plane };
        NAMESPACES.iter().for_each(|name| cluster.add_namespace(name, &json!({})));
        cluster
    }

    /// Creates a namespace, or gives it these labels.
    pub fn add_namespace(&self, name: &str, labels: &Value) {
        let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels}});
        let (status, answer) = self.http.post("/api/v1/namespaces", namespace.to_string());
        if status == 409 {
            let patch = json!({"metadata": {"labels": labels}}).to_string().into_bytes();
            let request = axum::http::Request::patch(format!("/api/v1/namespaces/{name}"));
            self.http.send_as(request, "application/merge-patch+json", patch);
            return;
        }
        assert_eq!(status, 201, "{answer}");
    }

    /// Applies the policies for a configuration, given without its first two lines, and waits until they are in effect. `None` if nothing
    /// is exported.
    pub fn export(&self, config: &str, number: usize) -> Option<String> {
        let host = format!("probe-{number}.invalid");
        let entry = format!("  - {{host: {host}, namespaces: {{names: [no-tenant]}}}}\n");
        let config = match config.split_once("  hosts:\n") {
            Some((before, after)) => format!("{before}  hosts:\n{entry}{after}"),
            None => config.replacen(
                "hosts: [",
                &format!("hosts: [{{host: {host}, namespaces: {{names: [no-tenant]}}}}, "),
                1,
            ),
        };
        if !config.contains(&host) {
            return None;
        }
        let yaml = self.apply_policies(&config, &[])?;
        self.wait_until_denied(&host);
        Some(yaml)
    }

    /// Applies what `portcullis export policies` prints. `None` if nothing is exported.
    pub fn apply_policies(&self, config: &str, more: &[&str]) -> Option<String> {
        let file = process_guard().folder("config").join("config.yaml");
        let head = format!("apiVersion: {API_VERSION}\nkind: {KIND}\n");
        let head = if config.starts_with("apiVersion: ") { "" } else { &*head };
        fs::write(&file, format!("{head}{config}")).expect("our folder is writable");
        let mut program = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        let output = program.args(["export", "policies", "--config"]).arg(&file).args(more).output();
        let output = output.expect("cargo built it");
        if !output.status.success() {
            return None;
        }
        let yaml = String::from_utf8(output.stdout).expect("the program speaks UTF-8");
        self.control_plane.kubectl(APPLY).stdin(&yaml).run().accepted();
        Some(yaml)
    }

    /// Waits until a host, which belongs to no namespace of the trials, is denied in each of four kinds.
    pub fn wait_until_denied(&self, host: &str) {
        // The namespace has no exemption.
        let probes = [ingress, route, gateway, ingress_route].map(|of| of("team-b", host));
        for probe in probes {
            // The policies for the configuration before may deny it, too.
            let is_owned = |answer: Result<(), String>| answer.is_err_and(|message| message.contains("belongs to"));
            let is_denied = || is_owned(self.answer(&probe)).then_some(());
            until(LATE, is_denied).unwrap_or_else(|| panic!("not in effect: {:?} to {probe}", self.answer(&probe)));
        }
    }

    /// What a client is told that would create an object.
    pub fn answer(&self, object: &Value) -> Result<(), String> {
        answer(&self.http, object)
    }

    pub fn answer_to(&self, manifest: &Manifest) -> Result<(), String> {
        answer_to(&self.http, manifest)
    }

    /// The denial of a creation with these words that stays. Policies of the configuration before may decide for a moment.
    pub fn lasting_denial(&self, manifest: &Manifest, words: &str) -> Option<String> {
        let denial = || self.answer_to(manifest).err().filter(|message| message.contains(words));
        let is_admitted = until(LATE / 10, || denial().is_none().then_some(())).is_some();
        if is_admitted { None } else { denial() }
    }
}

/// The path of the objects of the kind in the namespace of an object.
pub fn list_path(object: &Value) -> String {
    list_of(&manifests(&object.to_string()).remove(0))
}

/// What a client is told that would create an object.
pub fn answer(http: &Http, object: &Value) -> Result<(), String> {
    answer_to(http, &manifests(&object.to_string()).remove(0))
}

fn answer_to(http: &Http, manifest: &Manifest) -> Result<(), String> {
    let (status, answer) = http.post(&format!("{}?dryRun=All", list_of(manifest)), manifest.json.to_string());
    match status {
        200 | 201 => Ok(()),
        _ => Err(answer["message"].as_str().unwrap_or_default().to_owned()),
    }
}

pub fn ingress(namespace: &str, host: &str) -> Value {
    let backend = json!({"service": {"name": "shop", "port": {"number": 80}}});
    let paths = json!([{"path": "/", "pathType": "Prefix", "backend": backend}]);
    let spec = json!({"ingressClassName": "public", "rules": [{"host": host, "http": {"paths": paths}}]});
    object("networking.k8s.io/v1", "Ingress", namespace, spec)
}

pub fn tls(namespace: &str, host: &str) -> Value {
    let mut object = ingress(namespace, "free.example.org");
    object["spec"]["tls"] = json!([{"hosts": ["other.example.org", host]}]);
    object
}

pub fn route(namespace: &str, host: &str) -> Value {
    let rule = json!({"backendRefs": [{"name": "shop", "port": 80}]});
    let spec = json!({"parentRefs": [{"name": "edge"}], "hostnames": [host], "rules": [rule]});
    object("gateway.networking.k8s.io/v1", "HTTPRoute", namespace, spec)
}

pub fn grpc_route(namespace: &str, host: &str) -> Value {
    let mut object = route(namespace, host);
    object["kind"] = "GRPCRoute".into();
    object
}

pub fn gateway(namespace: &str, host: &str) -> Value {
    let listener = json!({"name": "web", "port": 80, "protocol": "HTTP", "hostname": host});
    let spec = json!({"gatewayClassName": "any", "listeners": [listener]});
    object("gateway.networking.k8s.io/v1", "Gateway", namespace, spec)
}

pub fn ingress_route(namespace: &str, host: &str) -> Value {
    let routes = json!([{"match": "/", "services": [{"name": "shop", "port": 80}]}]);
    object(
        "contour.heptio.com/v1beta1",
        "IngressRoute",
        namespace,
        json!({"virtualhost": {"fqdn": host}, "routes": routes}),
    )
}

pub fn http_proxy(namespace: &str, host: &str) -> Value {
    let routes = json!([{"services": [{"name": "shop", "port": 80}]}]);
    object("projectcontour.io/v1", "HTTPProxy", namespace, json!({"virtualhost": {"fqdn": host}, "routes": routes}))
}

fn object(version: &str, kind: &str, namespace: &str, spec: Value) -> Value {
    json!({"apiVersion": version, "kind": kind, "metadata": {"namespace": namespace, "name": "shop"}, "spec": spec})
}

/// A function for each place of a host: an object of a namespace with a host.
pub const OBJECTS: [fn(&str, &str) -> Value; 7] = [ingress, tls, route, grpc_route, gateway, ingress_route, http_proxy];
