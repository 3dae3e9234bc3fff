//! The shipped webhook configurations send exactly the kinds, versions and operations that checks or defaulters handle,
//! and no entry blocks deletions or finalizers while Portcullis is down.

use std::collections::BTreeSet;

use portcullis::manifests::enforced_entries;
use portcullis_core::checks::{Operation, registry};
use portcullis_core::defaults;
use portcullis_core::kinds::Kind;
use serde_json::{Value, json};

use super::{documents, list, resources, served};

const VALIDATING: &str = "manifests/webhooks/validating.yaml";
const MUTATING: &str = "manifests/webhooks/mutating.yaml";

/// The entry for what cert-manager creates to answer ACME challenges.
const SOLVERS: &str = "solvers.portcullis.dev";

/// The entry for the configuration of Portcullis.
const CONFIGURATION: &str = "configuration.portcullis.dev";

/// Group, version, plural and operation.
type Call = [String; 4];

#[test]
fn webhook_rules_match_checked_kinds_and_operations() {
    let checked = Kind::ALL.into_iter().filter(|kind| kind.is_validated());
    let checked: BTreeSet<Call> = checked.flat_map(|kind| calls(kind, &checked_operations(kind))).collect();
    let of_checks = |entry: &Value| entry["name"] != SOLVERS && entry["name"] != CONFIGURATION;
    let called = calls_of(VALIDATING, entries(VALIDATING).into_iter().filter(of_checks));
    assert_eq!(called, checked, "{VALIDATING} and the checks' kinds and operations differ");

    let is_defaulted = |kind: &Kind| defaults::registry::ALL.iter().any(|defaulter| defaulter.fill.is_for(*kind));
    let defaulted: BTreeSet<Call> =
        Kind::ALL.into_iter().filter(is_defaulted).flat_map(|kind| calls(kind, &["CREATE"])).collect();
    let called = calls_of(MUTATING, entries(MUTATING));
    assert_eq!(called, defaulted, "{MUTATING} and the defaulters' kinds differ");
}

/// What the entries that may enforce leave out is exactly what the entry for solvers of cert-manager sends.
#[test]
fn cert_manager_solvers_are_sent_by_one_webhook_entry() {
    let entries = entries(VALIDATING);
    let solvers = entries.iter().find(|entry| entry["name"] == SOLVERS).expect("it is shipped");
    let is_solver = condition(solvers, "solver-of-cert-manager").expect("it has the condition");
    let leaves_out = |entry: &&Value| condition(entry, "not-a-solver-of-cert-manager").is_some();
    let left_out: Vec<&Value> = entries.iter().filter(leaves_out).collect();
    let names: Vec<&Value> = left_out.iter().map(|entry| &entry["name"]).collect();
    assert_eq!(names, ["ingresses.portcullis.dev", "gateways.portcullis.dev"]);
    for entry in &left_out {
        assert_eq!(condition(entry, "not-a-solver-of-cert-manager"), Some(format!("!({is_solver})").as_str()));
    }
    let of_solvers = calls_of(VALIDATING, [solvers.clone()]);
    let mut enforced = calls_of(VALIDATING, left_out.into_iter().cloned());
    enforced.retain(|[_, _, plural, _]| is_solver.contains(&format!("'{plural}'")));
    assert_eq!(of_solvers, enforced);
    assert!(is_solver.contains("request.resource.resource in ['ingresses', 'httproutes']"), "{is_solver}");
    assert_eq!(solvers["failurePolicy"], "Ignore");
    assert_eq!(solvers["namespaceSelector"], entries[0]["namespaceSelector"]);
}

/// Deletions have their own entries, which delay a deletion by at most one second while Portcullis is down. An update
/// that changes nothing that is checked is not sent.
#[test]
fn webhooks_block_neither_deletions_nor_finalizers() {
    let entries = entries(VALIDATING);
    let unchanged = &entries[0]["matchConditions"][0];
    assert!(unchanged["expression"].is_string(), "{VALIDATING}: the first entry has no condition");
    for entry in entries.iter().filter(|entry| entry["name"] != CONFIGURATION) {
        let mut operations = list(&entry["rules"]).flat_map(|rule| list(&rule["operations"]));
        let name = &entry["name"];
        if operations.any(|operation| operation == "DELETE") {
            let alone = list(&entry["rules"]).all(|rule| rule["operations"] == json!(["DELETE"]));
            assert!(alone, "{name}: deletions have entries of their own");
            assert_eq!(entry["timeoutSeconds"], 1, "{name}");
            assert_eq!(entry.get("matchConditions"), None, "{name}");
        } else {
            assert_eq!(entry["matchConditions"][0], *unchanged, "{name}: each entry for updates has the condition");
        }
    }
}

/// A fresh installation blocks no write. One that enforces blocks creations and updates of objects in namespaces, and neither deletions
/// nor objects without a namespace, which no namespaceSelector can leave out, nor what renews a certificate.
#[test]
fn webhooks_block_writes_only_once_they_enforce() {
    for entry in entries(VALIDATING).iter().chain(&entries(MUTATING)) {
        assert_eq!(entry["failurePolicy"], "Ignore", "{}", entry["name"]);
    }
    let blocks = |entry: &&Value| {
        let blocks = |rule: &Value| rule["scope"] == "Namespaced" && rule["operations"][0] == "CREATE";
        entry["name"] != SOLVERS && entry["name"] != CONFIGURATION && list(&entry["rules"]).all(blocks)
    };
    let blocking: Vec<Value> = entries(VALIDATING).iter().filter(blocks).map(|entry| entry["name"].clone()).collect();
    assert_eq!(blocking, enforced_entries().map(Value::from).collect::<Vec<_>>());
}

/// The entry for the configuration is sent nothing else, and no other entry is sent anything of the namespace of Portcullis.
#[test]
fn only_the_configuration_is_sent_from_the_own_namespace() {
    let is_own =
        |entry: &Value| entry["namespaceSelector"]["matchLabels"]["kubernetes.io/metadata.name"] == "portcullis";
    let entries = entries(VALIDATING);
    let own: Vec<&Value> = entries.iter().filter(|entry| is_own(entry)).collect();
    assert!(matches!(own[..], [entry] if entry["name"] == CONFIGURATION), "{own:?}");
    assert_eq!(condition(own[0], "is-the-configuration"), Some("object.metadata.?name.orValue('') == 'portcullis'"));
    assert_eq!((&own[0]["failurePolicy"], &own[0]["timeoutSeconds"]), (&json!("Ignore"), &json!(1)));
    assert_eq!(own[0]["rules"][0]["resources"], json!(["configmaps"]));
}

/// The names of the entries. A name that changes between two releases is another entry for every tool that merges lists by name, and
/// `portcullis disarm` and alerts of an older release do not know it: a new kind is a rule of an entry that exists.
const NAMES: [&str; 10] = [
    "ingresses.portcullis.dev",
    "ingressclasses.portcullis.dev",
    "gateways.portcullis.dev",
    "delegations.portcullis.dev",
    "gatewayclasses.portcullis.dev",
    "deletions.portcullis.dev",
    "class-deletions.portcullis.dev",
    SOLVERS,
    CONFIGURATION,
    "defaults.portcullis.dev",
];

#[test]
fn entry_names_are_the_same_in_every_release() {
    let entries = [entries(VALIDATING), entries(MUTATING)].concat();
    let names: Vec<&Value> = entries.iter().map(|entry| &entry["name"]).collect();
    assert_eq!(names, NAMES, "a released name never changes, and a new kind is a rule of an entry that exists");
}

/// The table of kinds declares deletions for kinds whose deletions some check reviews, and defaults for kinds with
/// defaulters.
#[test]
fn operations_are_those_of_the_table_of_kinds() {
    for kind in Kind::ALL {
        let judges_deletion =
            registry::all().any(|check| check.run.kinds().contains(kind) && check.when.is_for(Operation::Delete));
        let has_defaults = defaults::registry::ALL.iter().any(|defaulter| defaulter.fill.is_for(kind));
        let admission = kind.admission().map(|admission| (admission.deletions, admission.defaults));
        assert_eq!(
            admission.unwrap_or_default(),
            (judges_deletion, has_defaults),
            "{kind}: change crates/portcullis-core/src/kinds/table.rs"
        );
    }
}

/// The operations on objects of the kind that checks review.
fn checked_operations(kind: Kind) -> Vec<&'static str> {
    let judges_deletion =
        registry::all().any(|check| check.run.kinds().contains(kind) && check.when.is_for(Operation::Delete));
    let deletion = judges_deletion.then_some("DELETE");
    ["CREATE", "UPDATE"].into_iter().chain(deletion).collect()
}

fn calls(kind: Kind, operations: &[&'static str]) -> Vec<Call> {
    let with = |[group, version, plural]: [String; 3]| {
        operations
            .iter()
            .map(move |operation| [group.clone(), version.clone(), plural.clone(), (*operation).to_owned()])
    };
    served(kind).flat_map(with).collect()
}

/// The expression of the condition of this name.
fn condition<'a>(entry: &'a Value, name: &str) -> Option<&'a str> {
    list(&entry["matchConditions"]).find(|condition| condition["name"] == name)?["expression"].as_str()
}

/// The calls that the rules of these entries send. No call is sent twice.
fn calls_of(file: &str, entries: impl IntoIterator<Item = Value>) -> BTreeSet<Call> {
    let mut calls = BTreeSet::new();
    for rule in entries.into_iter().collect::<Vec<_>>().iter().flat_map(|entry| list(&entry["rules"])) {
        for [group, version, plural] in resources(rule) {
            for operation in list(&rule["operations"]) {
                let operation = operation.as_str().expect("an operation is text").to_owned();
                let call = [group.clone(), version.clone(), plural.clone(), operation];
                assert!(calls.insert(call.clone()), "{file} sends {call:?} twice");
            }
        }
    }
    calls
}

fn entries(file: &str) -> Vec<Value> {
    documents(file).iter().flat_map(|document| list(&document["webhooks"])).cloned().collect()
}
