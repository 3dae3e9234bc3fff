//! Features that a class lists in its status, which only its controller writes, on the subresource.

use libtest_mimic::Trial;
use serde_json::{Value, json};

use super::fixture::{ClusterFixture, RegisteredWebhooks};
use crate::harness::{Channel, ControlPlane, Flavour, NEWEST, eventually, on_gateway_cluster};

pub fn trials() -> Vec<Trial> {
    vec![on_gateway_cluster("live::features_are_those_of_the_status_of_the_class", features_follow_the_status)]
}

const CONFIG: &str = "checks: {'*': Off, route/feature-unsupported: Warn}\n";

const EDGE: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata: {name: edge}
spec: {controllerName: example.com/edge}
---
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {namespace: web, name: edge}
spec: {gatewayClassName: edge, listeners: [{name: web, port: 80, protocol: HTTP}]}
";

const ROUTE: &str = "
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {namespace: web, name: shop}
spec:
  parentRefs: [{name: edge}]
  rules: [{matches: [{method: GET, queryParams: [{name: version, value: two}]}]}]
";

fn features_follow_the_status() {
    let control_plane = ControlPlane::start(Flavour::Plain);
    control_plane.install_gateway_api(NEWEST, Channel::Standard);
    let fixture = ClusterFixture::new(&control_plane, RegisteredWebhooks::Validate, CONFIG);
    fixture.set_text(EDGE);
    assert_eq!(warning(&fixture), None, "the class lists nothing");

    list(&control_plane, &["Gateway", "HTTPRoute", "HTTPRouteMethodMatching"]);
    let unsupported = "GatewayClass edge does not support HTTPRouteQueryParamMatching: remove it or use another class";
    eventually("the list is known", || warning(&fixture).is_some());
    let shown = warning(&fixture).unwrap_or_default();
    assert!(shown.contains(unsupported) && !shown.contains("HTTPRouteMethodMatching"), "{shown}");

    list(&control_plane, &["Gateway", "HTTPRoute", "HTTPRouteMethodMatching", "HTTPRouteQueryParamMatching"]);
    eventually("the longer list is known", || warning(&fixture).is_none());
}

/// The warnings about the route that kubectl shows.
fn warning(fixture: &ClusterFixture<'_>) -> Option<String> {
    let output = fixture.kubectl("apply --dry-run=server -f -").stdin(ROUTE).run().accepted();
    let warnings: Vec<&str> = output.stderr.lines().filter(|line| line.contains("Warning")).collect();
    (!warnings.is_empty()).then(|| warnings.join("\n"))
}

/// Writes the status of the class as its controller does.
fn list(control_plane: &ControlPlane, features: &[&str]) {
    let features: Vec<Value> = features.iter().map(|name| json!({"name": name})).collect();
    let condition = json!({
        "type": "Accepted", "status": "True", "reason": "Accepted", "message": "", "lastTransitionTime": "2026-01-01T00:00:00Z",
    });
    let status = json!({"status": {"conditions": [condition], "supportedFeatures": features}});
    let patch = control_plane.kubectl("patch gatewayclass edge --subresource=status --type=merge --patch");
    patch.arg(status.to_string()).run().accepted();
}
