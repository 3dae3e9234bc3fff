//! Large objects at `/mutate`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::Target;
use crate::reviews::create;

/// The number of paths of the largest Ingress that an API server stores: 1.3 MB as protobuf, 4.4 MB as JSON.
const PATHS: usize = 48_000;
/// How much memory such a review may use, in KiB.
const GROWTH_KIB: u64 = 28 << 10;

fn class() -> Value {
    let annotations = json!({"ingressclass.kubernetes.io/is-default-class": "true"});
    json!({
        "apiVersion": "networking.k8s.io/v1", "kind": "IngressClass",
        "metadata": {"name": "nginx", "annotations": annotations}, "spec": {"controller": "example.com/proxy"},
    })
}

/// The creation of an Ingress without a class. All its paths have these fields besides their backend.
fn review(fields: &str) -> String {
    let backend = r#""backend":{"service":{"name":"s","port":{"number":80}}}"#;
    let path = |number: usize| format!("{{{}{backend}}}", fields.replace('N', &number.to_string()));
    let paths = (0..PATHS).map(path).collect::<Vec<_>>().join(",");
    let metadata = r#""metadata":{"namespace":"web","name":"shop"}"#;
    let rule = format!(r#"{{"host":"shop.example.com","http":{{"paths":[{paths}]}}}}"#);
    create(&format!(
        r#"{{"apiVersion":"networking.k8s.io/v1","kind":"Ingress",{metadata},"spec":{{"rules":[{rule}]}}}}"#
    ))
}

/// The operations of the patch in the response to a review.
fn patch(target: &Target, review: String) -> Vec<Value> {
    let (status, answer) = target.server.post("/mutate", review);
    assert_eq!((status, &answer["response"]["allowed"]), (200, &json!(true)), "{}", answer["response"]["status"]);
    let patch = answer["response"]["patch"].as_str().expect("a patch");
    serde_json::from_slice(&STANDARD.decode(patch).expect("base64")).expect("a list of operations")
}

pub fn a_class_for_a_large_ingress_costs_no_copy_of_it() {
    let target = Target::beside("", &[class()]);
    let operations = patch(&target, review(r#""path":"/N","pathType":"Prefix","#));
    assert_eq!(operations, [json!({"op": "add", "path": "/spec/ingressClassName", "value": "nginx"})]);
    target.ends_within(GROWTH_KIB);
}

pub fn thousands_of_defaults_are_written_as_they_are_made() {
    let defaults = "defaults: {ingress/default-path-type: {}}\n";
    let target = Target::beside(defaults, &[class()]);
    let operations = patch(&target, review(r#""path":"/N","#));
    assert_eq!(operations.len(), PATHS + 1);
    let path = format!("/spec/rules/0/http/paths/{}/pathType", PATHS - 1);
    assert_eq!(operations.last(), Some(&json!({"op": "add", "path": path, "value": "ImplementationSpecific"})));
    target.ends_within(GROWTH_KIB);
}
