//! What cert-manager creates to answer ACME challenges is reviewed while a replica answers, and created while none does.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::enforced;
use super::fixture::{Fixture, NO_SERVER};
use crate::harness::{
    Balancer, Channel, ControlPlane, Flavour, KubectlOutput, NEWEST, Namespace, Webhooks, crds, eventually, text,
};
use crate::reviews::ingress;

const CERT_MANAGER: &str = "system:serviceaccount:cert-manager:cert-manager";
const TENANT: &str = "system:serviceaccount:web:deployer";

/// The path of a challenge.
const CHALLENGE: &str = "/.well-known/acme-challenge/token";

pub fn solvers_do_not_wait() {
    let fixture = Fixture::behind_url();
    let server = fixture.server("gate-a", &[]).ready();
    fixture.balancer.replace(NO_SERVER, server.webhook);
    let armed = fixture.arm(&[]);
    assert_eq!((armed.code(), fixture.failing()), (Some(0), enforced()), "{armed}");
    let object = |path: &str, labels: Value| {
        let object = ingress(&fixture.namespace.to_string(), "solver", "shop.example.com", path);
        labeled(serde_json::from_str(&object).expect("it is JSON"), labels)
    };
    let solver = object(CHALLENGE, of_solver("true"));
    apply(&fixture.namespace, CERT_MANAGER, &solver).accepted();
    // One entry, and only one, sends what cert-manager creates.
    let bad = object(r#"/x\"y"#, of_solver("true"));
    apply(&fixture.namespace, CERT_MANAGER, &bad).refused_with("[ingress/path-unsafe-character]");
    assert_eq!(entries_that_reviewed(&fixture.namespace, CERT_MANAGER), only("solvers.portcullis.dev"));
    apply(&fixture.namespace, TENANT, &bad).refused_with("[ingress/path-unsafe-character]");
    assert_eq!(entries_that_reviewed(&fixture.namespace, TENANT), only("ingresses.portcullis.dev"));

    drop(server);
    eventually("writes are denied", || !fixture.admits("good", "/"));
    let moved = object(&format!("{CHALLENGE}-2"), of_solver("true"));
    apply(&fixture.namespace, CERT_MANAGER, &moved).accepted();
    fixture.namespace.delete("ingress/solver").accepted();
    apply(&fixture.namespace, CERT_MANAGER, &solver).accepted();
    let unanswered = r#"failed calling webhook "ingresses.portcullis.dev""#;
    apply(&fixture.namespace, TENANT, &moved).refused_with(unanswered);
    for labels in [json!({}), of_solver("false")] {
        let other = object("/", labels);
        apply(&fixture.namespace, CERT_MANAGER, &other).refused_with(unanswered);
    }
}

/// The same with a route, while nothing answers.
pub fn solver_routes_do_not_wait() {
    let mut crds = crds(NEWEST, Channel::Standard);
    crds.retain(|crd| ["gateways.", "httproutes."].iter().any(|kind| text(&crd["metadata"]["name"]).starts_with(kind)));
    let control_plane = ControlPlane::serving(Flavour::Plain, crds);
    let namespace = control_plane.namespace("web");
    let ca = control_plane.webhook_client_ca();
    let ca = std::fs::read_to_string(ca).expect("the control plane has written it");
    let _registered = control_plane.register(&Balancer::of(&[NO_SERVER], &ca), Webhooks::validating());
    let route = |labels: Value| {
        let matched = json!({"path": {"type": "Exact", "value": CHALLENGE}});
        let spec = json!({
            "parentRefs": [{"name": "edge"}], "hostnames": ["shop.example.com"],
            "rules": [{"matches": [matched], "backendRefs": [{"name": "solver", "port": 8089}]}],
        });
        let metadata = json!({"name": "solver"});
        let route = json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute", "metadata": metadata, "spec": spec});
        labeled(route, labels)
    };
    let unanswered = r#"failed calling webhook "gateways.portcullis.dev""#;
    apply(&namespace, TENANT, &route(of_solver("true"))).refused_with(unanswered);
    apply(&namespace, CERT_MANAGER, &route(json!({}))).refused_with(unanswered);
    apply(&namespace, CERT_MANAGER, &route(of_solver("true"))).accepted();
    let gateway = json!({
        "apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"name": "edge"},
        "spec": {"gatewayClassName": "edge", "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}]},
    });
    let gateway = labeled(gateway, of_solver("true"));
    apply(&namespace, CERT_MANAGER, &gateway).refused_with(unanswered);
}

fn only(entry: &str) -> BTreeSet<String> {
    BTreeSet::from([entry.to_owned()])
}

fn of_solver(value: &str) -> Value {
    json!({"acme.cert-manager.io/http01-solver": value})
}

fn labeled(mut object: Value, labels: Value) -> Value {
    object["metadata"]["labels"] = labels;
    object
}

/// The webhook entries whose answers are in the audit log of what this user wrote.
fn entries_that_reviewed(namespace: &Namespace<'_>, user: &str) -> BTreeSet<String> {
    let log = namespace.audit_log();
    let by_user = log.iter().filter(|event| event["impersonatedUser"]["username"] == user);
    let keys = by_user.flat_map(|event| event["annotations"].as_object().into_iter().flatten().map(|(key, _)| key));
    let entry = |key: &String| key.split_once('/').map(|(entry, _)| entry.to_owned());
    keys.filter_map(entry).filter(|entry| entry.ends_with(".portcullis.dev")).collect()
}

/// Applies the object as a user with all rights.
fn apply(namespace: &Namespace<'_>, user: &str, object: &Value) -> KubectlOutput {
    let apply = namespace.kubectl("apply -f -").acting_as(user).in_group("system:masters");
    apply.stdin(&object.to_string()).run()
}
