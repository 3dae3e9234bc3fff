//! Malicious IngressRoutes: a huge number of routes and Services on both sides of a delegation.

use serde_json::{Value, json};

use super::{Target, assert_harmless};
use crate::reviews::{review, warnings};

/// The number of routes of each object. A comparison of each route with each other one would take minutes.
const MANY: usize = 2_500;

fn ingress_route(name: &str, spec: Value) -> Value {
    json!({
        "apiVersion": "contour.heptio.com/v1beta1",
        "kind": "IngressRoute",
        "metadata": {"namespace": "web", "name": name},
        "spec": spec,
    })
}

fn create(object: &Value) -> String {
    let kind = r#"{"group":"contour.heptio.com","version":"v1beta1","kind":"IngressRoute"}"#;
    review("u-1", &format!(r#""kind":{kind},"operation":"CREATE","object":{object}"#))
}

/// A root that delegates all its routes to the same child.
fn root() -> Value {
    let delegate = json!({"name": "part"});
    let routes: Vec<Value> =
        (0..MANY).map(|number| json!({"match": format!("/team/{number}"), "delegate": delegate})).collect();
    ingress_route("shop", json!({"virtualhost": {"fqdn": "graphs.example.com"}, "routes": routes}))
}

/// A child with as many routes. Each delegation covers one of them.
fn vertex() -> Value {
    let services = json!([{"name": "cart", "port": 80}]);
    let routes: Vec<Value> =
        (0..MANY).map(|number| json!({"match": format!("/team/{number}/cart"), "services": services})).collect();
    ingress_route("part", json!({"routes": routes}))
}

pub fn delegation_between_very_many_routes_is_handled() {
    let below = Target::beside("", &[vertex()]);
    let answer = below.asks(create(&root()));
    assert_harmless(&answer);
    assert!(warnings(&answer).contains("so this delegation is ignored"), "{answer}");
    below.ends_well();

    let above = Target::beside("", &[root()]);
    let answer = above.asks(create(&vertex()));
    assert_harmless(&answer);
    let message = answer["response"]["status"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("the prefix delegated by IngressRoute web/shop"), "{answer}");
    above.ends_well();
}

pub fn thousands_of_uses_of_one_service_are_handled() {
    let uses = |name: &str, strategy: &str| {
        let services = |port: usize| json!([{"name": "cart", "port": port, "strategy": strategy}]);
        let routes: Vec<Value> =
            (1..=8 * MANY).map(|port| json!({"match": format!("/{port}"), "services": services(port)})).collect();
        ingress_route(name, json!({"virtualhost": {"fqdn": format!("{name}.example.com")}, "routes": routes}))
    };
    let target = Target::beside("", &[uses("one", "Random")]);
    let answer = target.asks(create(&uses("two", "Cookie")));
    assert!(warnings(&answer).contains("has strategy Cookie here but Random in IngressRoute web/one"), "{answer}");
    target.ends_well();
}
