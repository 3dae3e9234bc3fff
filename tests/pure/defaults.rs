//! Evaluates the page of every defaulter, and verifies the properties that all patches must have.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use portcullis::files::Manifest;
use portcullis_core::checks::{self, Operation, Plan};
use portcullis_core::cluster::Overlay;
use portcullis_core::defaults::{Defaulter, Edits, registry};
use portcullis_core::kinds::decode;
use portcullis_core::message::{Disclosure, render_warning};
use portcullis_core::review::Reviewer;
use portcullis_testing::config::plan;
use portcullis_testing::each;
use portcullis_testing::page::{Example, blocks};
use portcullis_testing::pages::{cluster, judge, manifests, today};
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};
use serde_json::{Value, json};

#[test]
fn each_page_is_correct() {
    each(registry::ALL, |defaulter| defaulter.id.to_owned(), |defaulter| page_is_right(defaulter));
}

#[test]
fn ingress_patch_changes_only_edited_fields() {
    patches_change_only_edited_fields(ALL_ON, CLASS, ingresses());
}

#[test]
fn gateway_patch_changes_only_edited_fields() {
    patches_change_only_edited_fields(ALL_ON, GATEWAY_CLASS, gateways());
}

#[test]
fn http_proxy_patch_changes_only_edited_fields() {
    patches_change_only_edited_fields(ALL_ON, PROXY, proxies());
}

/// The profile `audit` changes nothing that the configuration does not name.
#[test]
fn audit_fills_in_only_what_is_named() {
    let named = "defaults: {ingress/default-class: {enabled: true}}\n";
    let cases =
        [("", true), ("profile: baseline\n", true), ("profile: audit\n", false), ("profile: audit@0.1\n", false)];
    let documents = manifests(CLASS);
    let fills = |config: &str| !fill(&plan(config), &documents, &documents[0].json).edits.is_empty();
    for (config, is_filled) in cases {
        assert_eq!(fills(config), is_filled, "{config}");
        assert!(fills(&format!("{config}{named}")), "{config}");
    }
}

fn page_is_right(defaulter: &Defaulter) {
    assert!(defaulter.page.starts_with(&format!("# `{}`\n", defaulter.id)), "the title of a page is its id");
    let (mut config, mut expected) = (String::new(), Vec::new());
    let mut examples: Vec<(String, String)> = Vec::new();
    for block in blocks(defaulter.page) {
        match block.words.as_str() {
            "yaml config" => config = block.text,
            "yaml" => {
                examples.push((config.clone(), block.text));
                expected.push((String::new(), String::new()));
            }
            "edits" => expected.last_mut().expect("edits follow their yaml").0 = block.text,
            "warnings" => expected.last_mut().expect("warnings follow their yaml").1 = block.text,
            other => panic!("a page knows no block `{other}`"),
        }
    }
    assert!(expected.iter().any(|(edits, _)| !edits.is_empty()), "no example is filled");
    assert!(expected.iter().any(|(edits, _)| edits.is_empty()), "no example is left alone");
    for ((config, yaml), (edits, warnings)) in examples.iter().zip(expected) {
        let plan = plan(config);
        let documents = manifests(yaml);
        let filled = fill(&plan, &documents, &documents[0].json);
        let output: String = filled.edits.iter().map(|edit| format!("{}: {:?}\n", edit.at(), edit.value)).collect();
        assert_eq!(output, edits, "of {yaml}");
        let warned: String = filled.warnings.iter().map(|warning| format!("{warning}\n")).collect();
        assert_eq!(warned, warnings, "of {yaml}");
        filled_once_is_filled(&plan, &documents, &filled);
    }
}

fn fill(plan: &Plan, documents: &[Manifest], json: &str) -> Edits {
    let (reviewed, rest) = documents.split_first().expect("an example begins with the object under review");
    let cluster = cluster(rest);
    let cluster = cluster.read();
    let object = decode(reviewed.object_ref.kind, json).expect("an example can be read");
    plan.fill(&object, Operation::Create, &Overlay::new(&cluster, &reviewed.object_ref))
}

/// Filling in twice is the same as once: a reinvocation changes nothing.
fn filled_once_is_filled(plan: &Plan, documents: &[Manifest], filled: &Edits) {
    let mut object: Value = serde_json::from_str(&documents[0].json).expect("an example is JSON");
    let patch = json_patch::Patch(filled.patch(&documents[0].json).collect());
    json_patch::patch(&mut object, &patch).expect("our own patch applies");
    let again = fill(plan, documents, &object.to_string());
    assert_eq!(again.edits, Vec::new(), "a second run fills in more");
}

/// A review of the Gateway has a finding with the same text as the warning of the defaulter.
#[test]
fn warning_about_missing_class_equals_the_check_message() {
    let defaulter = registry::find("gateway/default-class").expect("there is such a defaulter");
    let examples = blocks(defaulter.page).into_iter().filter(|block| block.words == "yaml");
    let (mut reported, plan) = (0, plan(""));
    for block in examples {
        let documents = manifests(&block.text);
        for warning in fill(&plan, &documents, &documents[0].json).warnings {
            let example = Example { yaml: block.text.clone(), config: Some(String::new()), ..Example::default() };
            let check = checks::registry::find("gateway/class-missing").expect("there is such a check");
            let found = judge(check, &example).findings;
            assert!(
                found.iter().any(|evaluated| render_warning(&evaluated.finding, Disclosure::All) == warning),
                "{warning}"
            );
            reported += 1;
        }
    }
    assert_eq!(reported, 3, "with no default, with two, and with one by an annotation that is not configured");
}

/// Both versions that API servers send are supported.
#[test]
fn a_review_of_a_gateway_is_answered_with_class_and_routability() {
    let listeners = json!([{"name": "web", "port": 80, "protocol": "HTTP"}]);
    for version in ["v1", "v1beta1"] {
        let rest = &manifests(GATEWAY_CLASS)[1..];
        let reviewer = Reviewer::new(plan(ALL_ON), cluster(rest));
        let gateway = json!({
            "apiVersion": format!("gateway.networking.k8s.io/{version}"), "kind": "Gateway",
            "metadata": {"namespace": "infra", "name": "edge"}, "spec": {"listeners": listeners},
        });
        let kind = json!({"group": "gateway.networking.k8s.io", "version": version, "kind": "Gateway"});
        let review = json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {
            "uid": "u-1", "userInfo": {"username": "alice"}, "kind": kind, "operation": "CREATE", "object": gateway,
        }});
        let answer = reviewer.mutate(review.to_string().as_bytes(), today()).expect("a review");
        let answer: Value = serde_json::from_slice(&answer.body).expect("an answer is JSON");
        let patch = answer["response"]["patch"].as_str().unwrap_or_else(|| panic!("no patch: {answer}"));
        let patch: json_patch::Patch =
            serde_json::from_slice(&STANDARD.decode(patch).expect("base64")).expect("a patch");
        let mut filled = gateway;
        json_patch::patch(&mut filled, &patch).expect("our own patch applies");
        let annotations = json!({"portcullis.dev/routability": "Private"});
        let spec = json!({
            "listeners": listeners, "gatewayClassName": "public", "infrastructure": {"annotations": annotations},
        });
        assert_eq!(filled["spec"], spec);
    }
}

const ALL_ON: &str = "defaults:
  ingress/default-path: {}
  ingress/default-path-type: {}
  gateway/default-routability: {}
  http-proxy/ingress-class-default: {class: public}
";

const PROXY: &str = "{apiVersion: projectcontour.io/v1, kind: HTTPProxy, metadata: {name: any}}";

/// HTTPProxies with and without a class, and with an unknown field.
fn proxies() -> impl Strategy<Value = Value> {
    let class = prop_oneof![Just(json!(null)), Just(json!("")), Just(json!("public")), Just(json!("other"))];
    (class, 0..5u8).prop_map(|(class, shape)| {
        let mut object =
            json!({"apiVersion": "projectcontour.io/v1", "kind": "HTTPProxy", "metadata": {"name": "any"}});
        match shape {
            0 => {}
            1 => object["spec"] = json!(null),
            2 => object["spec"] = json!({"future": {"kept": [true]}}),
            3 => object["metadata"]["annotations"] = json!({"projectcontour.io/ingress.class": class}),
            _ => object["spec"] = json!({"ingressClassName": class, "x~/new": {"a/b~c": null}}),
        }
        object
    })
}

const GATEWAY_CLASS: &str = r#"
apiVersion: gateway.networking.k8s.io/v1
kind: Gateway
metadata: {name: any}
---
apiVersion: gateway.networking.k8s.io/v1
kind: GatewayClass
metadata:
  name: public
  annotations: {gatewayclass.portcullis.dev/is-default-class: "true", portcullis.dev/routabilities: "Private, Public"}
"#;

/// Gateways with unknown fields at every level above the fields that are filled in.
fn gateways() -> impl Strategy<Value = Value> {
    let class = prop_oneof![Just(json!(null)), Just(json!("")), Just(json!("public")), Just(json!("other"))];
    let annotations = prop_oneof![
        Just(json!(null)),
        Just(json!({})),
        Just(json!({"a~b/c": "kept"})),
        Just(json!({"portcullis.dev/routability": "Public"})),
        Just(json!({"portcullis.dev/routability": ""})),
    ];
    let infrastructure = (annotations, 0..4u8).prop_map(|(annotations, shape)| match shape {
        0 => json!(null),
        1 => json!({}),
        2 => json!({"annotations": annotations}),
        _ => json!({"annotations": annotations, "x~/new": [1, {"a/b~c": null}]}),
    });
    (class, infrastructure, 0..5u8).prop_map(|(class, infrastructure, shape)| {
        let mut object =
            json!({"apiVersion": "gateway.networking.k8s.io/v1", "kind": "Gateway", "metadata": {"name": "any"}});
        match shape {
            0 => {}
            1 => object["spec"] = json!(null),
            2 => object["spec"] = json!({"future": {"kept": true}, "infrastructure": infrastructure}),
            3 => object["spec"] = json!({"gatewayClassName": class}),
            _ => object["spec"] = json!({"gatewayClassName": class, "infrastructure": infrastructure, "listeners": []}),
        }
        object
    })
}

const CLASS: &str = r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: any}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: public, annotations: {ingressclass.kubernetes.io/is-default-class: "true"}}
"#;

/// Ingresses with unknown fields at every level, and with various values of the fields that are filled in.
fn ingresses() -> impl Strategy<Value = Value> {
    let text = prop_oneof![Just(json!(null)), Just(json!("")), "[a-z/~01]{1,6}".prop_map(Value::from)];
    let path = (text.clone(), text.clone(), any::<bool>()).prop_map(|(path, path_type, unknown)| {
        let mut entry = json!({"backend": {"service": {"name": "cart", "x-new": [1, {"a/b~c": null}]}}});
        for (name, value) in [("path", path), ("pathType", path_type)] {
            if !value.is_null() || unknown {
                entry[name] = value;
            }
        }
        entry["x~/unknown"] = json!({"deep": [unknown]});
        entry
    });
    let rule = proptest::collection::vec(path, 0..3).prop_map(|paths| json!({"host": "a.b", "http": {"paths": paths}}));
    (proptest::collection::vec(rule, 0..3), text, 0..4u8).prop_map(|(rules, class, shape)| {
        let mut object = json!({"apiVersion": "networking.k8s.io/v1", "kind": "Ingress", "metadata": {"name": "any"}});
        match shape {
            0 => {}
            1 => object["spec"] = json!(null),
            2 => object["spec"] = json!({"rules": rules, "future": {"kept": true}}),
            _ => object["spec"] = json!({"rules": rules, "ingressClassName": class}),
        }
        object
    })
}

fn patches_change_only_edited_fields(config: &str, class: &str, objects: impl Strategy<Value = Value>) {
    let plan = plan(config);
    let documents = manifests(class);
    let mut runner = TestRunner::new(Cases { cases: 2_000, ..Cases::default() });
    let held = runner.run(&objects, |before| {
        let filled = fill(&plan, &documents, &before.to_string());
        let mut after = before.clone();
        let patch = json_patch::Patch(filled.patch(&before.to_string()).collect());
        json_patch::patch(&mut after, &patch).expect("our own patch applies");
        // The oracle undoes every edit; then the object must be the original one.
        let mut undone = after.clone();
        for edit in &filled.edits {
            prop_assert!(reaches(&after, &edit.at().to_string(), &edit.value), "{} was not set in {after}", edit.at());
            undo(&mut undone, &before, &edit.at().to_string());
        }
        prop_assert_eq!(&normal(undone), &normal(before.clone()), "something else changed");
        let again = fill(&plan, &documents, &after.to_string());
        prop_assert!(again.edits.is_empty(), "a second run fills in more: {:?}", again.edits);
        Ok(())
    });
    held.unwrap_or_else(|error| panic!("{error}"));
}

/// The steps of a printed address: fields separated by dots, and in brackets an index or a key that may contain dots.
fn steps(address: &str) -> Vec<String> {
    let parts = address.split(['[', ']']).enumerate();
    let names = parts.flat_map(|(position, part)| match position % 2 {
        0 => part.split('.').filter(|name| !name.is_empty()).map(str::to_owned).collect(),
        _ => vec![part.to_owned()],
    });
    names.collect()
}

fn step<'v>(value: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    match name.parse::<usize>() {
        Ok(index) => value.get_mut(index),
        Err(_) => value.get_mut(name),
    }
}

fn reaches(value: &Value, address: &str, expected: &str) -> bool {
    let mut value = value.clone();
    let found = steps(address).iter().try_fold(&mut value, |value, name| step(value, name));
    found.is_some_and(|found| *found == expected)
}

fn undo(after: &mut Value, before: &Value, address: &str) {
    let mut before = before.clone();
    let names = steps(address);
    let (last, parents) = names.split_last().expect("an address has steps");
    let old = names.iter().try_fold(&mut before, |value, name| step(value, name)).cloned();
    let Some(parent) = parents.iter().try_fold(after, |value, name| step(value, name)) else { return };
    match old {
        Some(old) => parent[last] = old,
        None => drop(parent.as_object_mut().and_then(|map| map.remove(last))),
    }
}

/// Removes those maps on the path to a field that are null or empty, since they are equivalent to absent ones.
fn normal(mut object: Value) -> Value {
    for way in [&["spec", "infrastructure", "annotations"][..], &["spec", "infrastructure"], &["spec"]] {
        let (last, parents) = way.split_last().expect("a way has steps");
        let parent = parents.iter().try_fold(&mut object, |value, name| value.get_mut(name));
        let Some(parent) = parent.and_then(Value::as_object_mut) else { continue };
        if parent.get(*last).is_some_and(|map| map.is_null() || *map == json!({})) {
            parent.remove(*last);
        }
    }
    object
}
