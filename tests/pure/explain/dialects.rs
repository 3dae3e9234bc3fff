//! Implementations match the regular expressions of routes in different ways.

use portcullis_core::compare::{Kept, Pairing, compare};
use serde_json::json;

use super::worlds::Objects;
use crate::compare::{ENDPOINTS, side};

/// A Gateway of the implementation with this `controllerName`, and a route with an expression and a prefix of the same length.
fn world(controller: &str) -> Objects {
    let class = json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "GatewayClass", "metadata": {"name": "c"},
        "spec": {"controllerName": controller}});
    let gateway = json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway",
        "metadata": {"namespace": "web", "name": "g"},
        "spec": {"gatewayClassName": "c", "listeners": [{"name": "http", "port": 80, "protocol": "HTTP"}]}});
    let rule = |kind: &str, path: &str, service: &str| json!({"matches": [{"path": {"type": kind, "value": path}}], "backendRefs": [{"name": service, "port": 80}]});
    let route = json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "HTTPRoute",
        "metadata": {"namespace": "web", "name": "r"},
        "spec": {"parentRefs": [{"name": "g"}], "rules": [
            rule("RegularExpression", "/v[0-9]", "versioned"), rule("PathPrefix", "/v1/longer", "longer"),
            rule("PathPrefix", "/", "rest")]}});
    let service = |name: &str| {
        json!({"apiVersion": "v1", "kind": "Service", "metadata": {"namespace": "web", "name": name},
            "spec": {"ports": [{"port": 80}]}})
    };
    Objects::of_values(&[class, gateway, route, service("versioned"), service("longer"), service("rest")])
}

fn service(objects: &Objects, path: &str) -> String {
    let answer = objects.ask(&format!("http://a.com{path}"));
    let (_, winner) = answer.winner.as_ref().expect("a rule answers");
    winner.outcome.backends()[0].name.clone()
}

#[test]
fn expressions_reach_as_far_as_the_implementation_says() {
    let paths = ["/v1", "/v1/a", "/x/v1", "/v1/longer"];
    let cases = [
        ("gateway.envoyproxy.io/gatewayclass-controller", ["versioned", "rest", "rest", "longer"]),
        ("example.com/another", ["versioned", "rest", "rest", "longer"]),
        ("gateway.nginx.org/nginx-gateway-controller", ["versioned", "versioned", "rest", "versioned"]),
        ("traefik.io/gateway-controller", ["versioned", "versioned", "versioned", "longer"]),
    ];
    for (controller, expected) in cases {
        let objects = world(controller);
        assert_eq!(paths.map(|path| service(&objects, path)), expected, "{controller}");
    }
}

#[test]
fn a_change_of_the_implementation_is_a_difference() {
    let differs = |before: &str, after: &str| {
        world(before).with(|before| {
            world(after).with(|after| {
                let results = compare(side(before), side(after), Pairing::ByName, &ENDPOINTS, Kept::ALL);
                let found = results.into_iter().flat_map(|result| result.differences);
                found.map(|difference| difference.example().path.clone()).collect::<Vec<_>>()
            })
        })
    };
    let kgateway = "kgateway.dev/kgateway";
    assert_eq!(differs(kgateway, "istio.io/gateway-controller"), Vec::<String>::new());
    let found = differs(kgateway, "gateway.nginx.org/nginx-gateway-controller");
    assert!(!found.is_empty() && found.iter().all(|path| path.starts_with("/v") && path.len() > 3), "{found:?}");
}
