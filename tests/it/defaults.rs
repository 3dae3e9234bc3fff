//! Runs every page beside a defaulter, and holds all patches to their laws.

use libtest_mimic::{Failed, Trial};
use portcullis::checks::{Operation, Plan};
use portcullis::cluster::Overlay;
use portcullis::config::{API_VERSION, Config, KIND};
use portcullis::defaults::{Defaulter, Edits, registry};
use portcullis::files::Manifest;
use portcullis::kinds::decode;
use proptest::prelude::*;
use proptest::test_runner::{Config as Cases, TestRunner};
use serde_json::{Value, json};

use crate::page::blocks;
use crate::pages::{cluster, manifests};

pub fn trials() -> Vec<Trial> {
    let page = |defaulter: &'static &Defaulter| Trial::test(format!("page::{}", defaulter.id), move || run(defaulter));
    let laws = Trial::test("defaults::a_patch_changes_only_what_it_edits", || {
        a_patch_changes_only_what_it_edits();
        Ok(())
    });
    registry::ALL.iter().map(page).chain([laws]).collect()
}

fn plan(config: &str) -> Plan {
    let text = format!("apiVersion: {API_VERSION}\nkind: {KIND}\n{config}");
    let config = Config::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    Plan::new(config).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn run(defaulter: &Defaulter) -> Result<(), Failed> {
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
        let said: String = filled.edits.iter().map(|edit| format!("{}: {}\n", edit.at, edit.value)).collect();
        assert_eq!(said, edits, "of {yaml}");
        let warned: String = filled.warnings.iter().map(|warning| format!("{warning}\n")).collect();
        assert_eq!(warned, warnings, "of {yaml}");
        filled_once_is_filled(&plan, &documents, &filled);
    }
    Ok(())
}

fn fill(plan: &Plan, documents: &[Manifest], json: &str) -> Edits {
    let (reviewed, rest) = documents.split_first().expect("an example begins with the object under review");
    let cluster = cluster(rest);
    let cluster = cluster.read().expect("nobody panics with the lock");
    let object = decode(reviewed.place.kind, json).expect("an example can be read");
    plan.defaults().fill(&object, Operation::Create, &Overlay::new(&cluster, &reviewed.place))
}

/// Run twice is run once: reinvocation changes nothing.
fn filled_once_is_filled(plan: &Plan, documents: &[Manifest], filled: &Edits) {
    let mut object: Value = serde_json::from_str(&documents[0].json).expect("an example is JSON");
    let patch = json_patch::Patch(filled.patch(&object));
    json_patch::patch(&mut object, &patch).expect("our own patch applies");
    let again = fill(plan, documents, &object.to_string());
    assert_eq!(again.edits, Vec::new(), "a second run fills in more");
}

const ALL_ON: &str = "defaults:\n  ingress/default-path: {}\n  ingress/default-path-type: {}\n";

const CLASS: &str = r#"
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: any}
---
apiVersion: networking.k8s.io/v1
kind: IngressClass
metadata: {name: public, annotations: {ingressclass.kubernetes.io/is-default-class: "true"}}
"#;

/// Ingresses with fields that we do not know at every level, some of them of the names that we fill in.
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

fn a_patch_changes_only_what_it_edits() {
    let plan = plan(ALL_ON);
    let documents = manifests(CLASS);
    let mut runner = TestRunner::new(Cases { cases: 2_000, ..Cases::default() });
    let held = runner.run(&ingresses(), |before| {
        let filled = fill(&plan, &documents, &before.to_string());
        let mut after = before.clone();
        json_patch::patch(&mut after, &json_patch::Patch(filled.patch(&before))).expect("our own patch applies");
        // The oracle: undo every edit by hand, and the object must be what it was.
        let mut undone = after.clone();
        for edit in &filled.edits {
            prop_assert!(reaches(&after, &edit.at.to_string(), &edit.value), "{} was not set in {after}", edit.at);
            undo(&mut undone, &before, &edit.at.to_string());
        }
        prop_assert_eq!(&normal(undone), &normal(before.clone()), "something else changed");
        let again = fill(&plan, &documents, &after.to_string());
        prop_assert!(again.edits.is_empty(), "a second run fills in more: {:?}", again.edits);
        Ok(())
    });
    held.unwrap_or_else(|error| panic!("{error}"));
}

/// The steps of a printed address, by splitting it.
fn steps(address: &str) -> Vec<String> {
    address.replace('[', ".").replace(']', "").split('.').map(str::to_owned).collect()
}

fn step<'v>(value: &'v mut Value, name: &str) -> Option<&'v mut Value> {
    match name.parse::<usize>() {
        Ok(index) => value.get_mut(index),
        Err(_) => value.get_mut(name),
    }
}

fn reaches(value: &Value, address: &str, expected: &Value) -> bool {
    let mut value = value.clone();
    let found = steps(address).iter().try_fold(&mut value, |value, name| step(value, name));
    found.as_deref() == Some(expected)
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

/// An absent, a null and an empty `spec` mean the same.
fn normal(mut object: Value) -> Value {
    if object["spec"].is_null() || object["spec"] == json!({}) {
        object.as_object_mut().expect("an object").remove("spec");
    }
    object
}
