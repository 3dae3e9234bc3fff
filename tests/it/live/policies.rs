//! The policies that `portcullis export policies` prints deny nothing that the webhook admits, and hosts of others while it is away.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::Duration;

use libtest_mimic::Trial;
use portcullis::files::Manifest;
use portcullis_core::checks::registry;
use portcullis_core::config::{API_VERSION, KIND};
use portcullis_testing::page::{Example, examples};
use portcullis_testing::pages::{config_text, manifests};
use serde_json::{Value, json};

use super::fixture::{NAMESPACES, list_of};
use crate::harness::{Channel, ControlPlane, Flavour, Http, NEWEST, on_full_cluster, process_guard, until};

pub fn trials() -> Vec<Trial> {
    vec![
        on_full_cluster("live::policies_deny_only_what_the_webhook_denies", policies_agree),
        on_full_cluster("live::policies_hold_in_each_kind", policies_hold_in_each_kind),
    ]
}

const CHECK: &str = "host/not-owned";

/// How long the API server may take to apply a policy.
const LATE: Duration = Duration::from_secs(30);

/// An API server without a webhook.
struct Cluster {
    cp: ControlPlane,
    http: Http,
}

impl Cluster {
    fn new() -> Self {
        let cp = ControlPlane::start(Flavour::NoDefaultIngressClass);
        cp.install_gateway_api(NEWEST, Channel::Experimental);
        cp.install_delegations();
        cp.install_host_claims();
        let cluster = Self { http: cp.http(), cp };
        NAMESPACES.iter().for_each(|name| cluster.add_namespace(name, &json!({})));
        cluster
    }

    fn add_namespace(&self, name: &str, labels: &Value) {
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
    fn export(&self, config: &str, number: usize) -> Option<String> {
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
        let file = process_guard().folder("config").join("config.yaml");
        let head = format!("apiVersion: {API_VERSION}\nkind: {KIND}\n");
        let head = if config.starts_with("apiVersion: ") { "" } else { &*head };
        fs::write(&file, format!("{head}{config}")).expect("our folder is writable");
        let mut program = Command::new(env!("CARGO_BIN_EXE_portcullis"));
        let output = program.args(["export", "policies", "--config"]).arg(&file).output().expect("cargo built it");
        if !output.status.success() {
            return None;
        }
        let yaml = String::from_utf8(output.stdout).expect("the program speaks UTF-8");
        self.cp.kubectl("apply -f -").stdin(&yaml).run().accepted();
        // The namespace has no exemption.
        let probes = [ingress, route, gateway, ingress_route].map(|of| of("team-b", &host));
        for probe in probes {
            // The policies for the configuration before may deny it, too.
            let is_owned = |answer: Result<(), String>| answer.is_err_and(|message| message.contains("belongs to"));
            let is_denied = || is_owned(self.answer(&probe)).then_some(());
            until(LATE, is_denied).unwrap_or_else(|| panic!("not in effect: {probe}\n{yaml}"));
        }
        Some(yaml)
    }

    /// What a client is told that would create an object.
    fn answer(&self, object: &Value) -> Result<(), String> {
        let manifest = manifests(&object.to_string()).remove(0);
        self.answer_to(&manifest)
    }

    fn answer_to(&self, manifest: &Manifest) -> Result<(), String> {
        let (status, answer) = self.http.post(&format!("{}?dryRun=All", list_of(manifest)), manifest.json.to_string());
        match status {
            200 | 201 => Ok(()),
            _ => Err(answer["message"].as_str().unwrap_or_default().to_owned()),
        }
    }
}

fn ingress(namespace: &str, host: &str) -> Value {
    let backend = json!({"service": {"name": "shop", "port": {"number": 80}}});
    let paths = json!([{"path": "/", "pathType": "Prefix", "backend": backend}]);
    let spec = json!({"ingressClassName": "public", "rules": [{"host": host, "http": {"paths": paths}}]});
    object("networking.k8s.io/v1", "Ingress", namespace, spec)
}

fn tls(namespace: &str, host: &str) -> Value {
    let mut object = ingress(namespace, "free.example.org");
    object["spec"]["tls"] = json!([{"hosts": ["other.example.org", host]}]);
    object
}

fn route(namespace: &str, host: &str) -> Value {
    let rule = json!({"backendRefs": [{"name": "shop", "port": 80}]});
    let spec = json!({"parentRefs": [{"name": "edge"}], "hostnames": [host], "rules": [rule]});
    object("gateway.networking.k8s.io/v1", "HTTPRoute", namespace, spec)
}

fn grpc_route(namespace: &str, host: &str) -> Value {
    let mut object = route(namespace, host);
    object["kind"] = "GRPCRoute".into();
    object
}

fn gateway(namespace: &str, host: &str) -> Value {
    let listener = json!({"name": "web", "port": 80, "protocol": "HTTP", "hostname": host});
    let spec = json!({"gatewayClassName": "any", "listeners": [listener]});
    object("gateway.networking.k8s.io/v1", "Gateway", namespace, spec)
}

fn ingress_route(namespace: &str, host: &str) -> Value {
    let routes = json!([{"match": "/", "services": [{"name": "shop", "port": 80}]}]);
    object(
        "contour.heptio.com/v1beta1",
        "IngressRoute",
        namespace,
        json!({"virtualhost": {"fqdn": host}, "routes": routes}),
    )
}

fn http_proxy(namespace: &str, host: &str) -> Value {
    let routes = json!([{"services": [{"name": "shop", "port": 80}]}]);
    object("projectcontour.io/v1", "HTTPProxy", namespace, json!({"virtualhost": {"fqdn": host}, "routes": routes}))
}

fn object(version: &str, kind: &str, namespace: &str, spec: Value) -> Value {
    json!({"apiVersion": version, "kind": kind, "metadata": {"namespace": namespace, "name": "shop"}, "spec": spec})
}

/// The examples of the check, by configuration. A denial of the policies is one of the webhook.
fn policies_agree() {
    let cluster = Cluster::new();
    let check = registry::find(CHECK).expect("the check exists");
    let mut by_config: BTreeMap<String, Vec<Example>> = BTreeMap::new();
    for example in examples(check.page).into_iter().filter(|example| !example.delete && example.old.is_none()) {
        by_config.entry(config_text(check, &example)).or_default().push(example);
    }
    let (mut exported, mut denied, mut left, mut wrong) = (0, 0, 0, Vec::new());
    for (number, (config, examples)) in by_config.iter().enumerate() {
        if cluster.export(config, number).is_none() {
            continue;
        }
        exported += 1;
        for example in examples {
            let all = manifests(&example.yaml);
            for manifest in &all {
                let object: Value = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
                match object["kind"].as_str() {
                    Some("Namespace") => {
                        cluster.add_namespace(&manifest.object_ref.name, &object["metadata"]["labels"])
                    }
                    _ if manifest.object_ref.namespace.is_empty() => {}
                    _ => cluster.add_namespace(&manifest.object_ref.namespace, &json!({})),
                }
            }
            let lines: Vec<&str> = example.findings.as_deref().unwrap_or_default().lines().collect();
            let is_denied = lines.iter().any(|line| !line.starts_with("warn"));
            match (cluster.answer_to(&all[0]), is_denied) {
                (Err(message), true) if message.contains(CHECK) => denied += 1,
                (Err(message), false) if message.contains(CHECK) => {
                    wrong.push(format!("{message}\nunder\n{config}\n{}", example.yaml));
                }
                (_, true) => left += 1,
                (_, false) => {}
            }
        }
    }
    assert!(wrong.is_empty(), "{} objects are denied that the webhook admits:\n{}", wrong.len(), wrong.join("\n\n"));
    eprintln!(
        "{exported} configurations of {}: {denied} denials agree, {left} are left to the webhook",
        by_config.len()
    );
    assert!(
        exported > 8 && denied > 9,
        "{exported} configurations are exported, {denied} denials agree, {left} are left"
    );
}

fn policies_hold_in_each_kind() {
    let cluster = Cluster::new();
    cluster.add_namespace("team-b", &json!({"team": "b"}));
    let config = "hostOwnership:
  unlisted: Deny
  hosts:
  - {host: shop.example.com, namespaces: {names: [web]}}
  - {host: '*.b.example.com', namespaces: {labels: {team: b}}}
  - {host: '*.example.org', namespaces: {names: ['*']}}
  - {host: '*.apps.example.com', namespaces: {names: [web]}, claims: Optional}
  - {host: '*.{namespace.name}.example.com', namespaces: {names: ['*']}}
exemptions:
- {checks: [host/not-owned], match: {kinds: [Gateway], namespaces: {names: [web]}}, reason: the platform's}
handovers:
- {host: moving.example.org, from: web, to: team-a}
";
    cluster.export(config, 0).expect("this configuration is exported");
    let kinds: [fn(&str, &str) -> Value; 7] = [ingress, tls, route, grpc_route, gateway, ingress_route, http_proxy];
    for of in kinds {
        let denied = |namespace: &str, host: &str, words: &str| {
            let object = of(namespace, host);
            let message = cluster.answer(&object).expect_err("denied");
            assert!(message.contains(words) && message.contains("[host/not-owned]"), "{message}: {object}");
        };
        denied("team-a", "shop.example.com", "host shop.example.com belongs to namespace web");
        denied(
            "team-a",
            "x.b.example.com",
            "host x.b.example.com is under *.b.example.com, which belongs to namespaces labeled team=b",
        );
        for (namespace, host) in [
            ("web", "shop.example.com"),
            ("team-b", "x.b.example.com"),
            ("team-a", "x.example.org"),
            ("team-a", "moving.example.org"),
            ("team-a", "x.team-a.example.com"),
        ] {
            assert_eq!(cluster.answer(&of(namespace, host)), Ok(()), "{}", of(namespace, host));
        }
    }
    assert_eq!(cluster.answer(&gateway("web", "x.b.example.com")), Ok(()), "an exemption");
    assert_eq!(cluster.answer(&ingress("team-a", "x.apps.example.com")), Ok(()), "HostClaims decide");
    let covers = cluster.answer(&ingress("team-a", "*.com")).expect_err("it covers hosts of others");
    assert!(covers.contains("host *.com covers a host, which belongs to others"), "{covers}");
    changes(&cluster);
}

/// A host that an object already has does not count as a new claim.
fn changes(cluster: &Cluster) {
    let path = "/apis/networking.k8s.io/v1/namespaces/team-a/ingresses";
    cluster.cp.kubectl("delete validatingadmissionpolicybindings --all").run().accepted();
    let old = ingress("team-a", "shop.example.com");
    let stored = until(LATE, || Some(cluster.http.post(path, old.to_string())).filter(|(status, _)| *status == 201));
    let (_, mut stored) = stored.expect("without a binding, nothing is denied");
    cluster
        .export("hostOwnership:\n  hosts:\n  - {host: '*.example.com', namespaces: {names: [web]}}\n", 1)
        .expect("exported");
    stored["metadata"]["labels"] = json!({"changed": "true"});
    let (status, answer) = cluster.http.put(&format!("{path}/shop"), stored.to_string());
    assert_eq!(status, 200, "{answer}");
    let mut stored = answer;
    stored["spec"]["rules"][0]["host"] = "cart.example.com".into();
    let (status, answer) = cluster.http.put(&format!("{path}/shop"), stored.to_string());
    assert!(status == 422 || status == 403, "{status} {answer}");
}
