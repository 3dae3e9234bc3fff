//! `docs/configuration-reference.md` describes each key of the configuration. Its text and its examples are the documentation of the
//! types: an example is the YAML block at the end of what the schema says about a key.

mod keys;
mod text;

use std::collections::BTreeSet;

use jiff::Timestamp;
use portcullis_core::checks::Plan;
use portcullis_core::config::{API_VERSION, Config, ConfigFile, KIND};
use portcullis_testing::golden;
use serde_json::Value;

use keys::{Key, Schema};

const FILE: &str = "docs/configuration-reference.md";

#[test]
fn each_key_is_described() {
    let json = Config::json_schema();
    let text = text::page(&Schema::of(&json));
    golden::must_be_current(FILE, &text);
}

#[test]
fn each_key_has_an_example_that_works() {
    let json = Config::json_schema();
    let schema = Schema::of(&json);
    let keys: Vec<Key<'_>> = schema.types().flat_map(|owner| schema.keys(owner)).collect();
    assert!(keys.len() > 90, "only {} keys were found", keys.len());
    let faults: Vec<String> =
        keys.iter().filter_map(|key| Some(format!("{}: {}", key.name(), fault(&schema, key)?))).collect();
    assert!(faults.is_empty(), "write an example at the end of the documentation of a field:\n{}", faults.join("\n"));
}

#[test]
fn an_example_with_another_key_of_the_same_name_is_a_fault() {
    let json = Config::json_schema();
    let schema = Schema::of(&json);
    let reached = |text: &str| schema.reached(&yaml(text));
    assert!(reached("hostOwnership: {unlisted: Deny}").contains(&("HostOwnership", "unlisted")));
    assert!(!reached("hostOwnership: {unlisted: Deny}").contains(&("CheckSetting", "unlisted")));
    let exempt = reached("exemptions: [{checks: ['*'], match: {namespaces: {names: [a]}}, reason: b}]");
    assert!(exempt.contains(&("NamespaceSelector", "names")) && !exempt.contains(&("NamespaceSelector", "notNames")));
}

#[test]
fn every_type_of_the_schema_is_reached() {
    let json = Config::json_schema();
    let schema = Schema::of(&json);
    let with_keys = json["$defs"].as_object().into_iter().flatten().filter(|(_, found)| !found["properties"].is_null());
    let reached: BTreeSet<&str> = schema.types().collect();
    let lost: Vec<&String> = with_keys.map(|(name, _)| name).filter(|name| !reached.contains(name.as_str())).collect();
    assert!(lost.is_empty(), "the reference leaves out {lost:?}");
}

/// Why the example of a key does not show it.
fn fault(schema: &Schema<'_>, key: &Key<'_>) -> Option<String> {
    let Some(example) = key.example() else { return Some("no example".to_owned()) };
    if !schema.reached(&yaml(example)).contains(&(key.owner, key.key)) {
        return Some(format!("the example does not contain the key:\n{example}"));
    }
    let text = complete(example);
    match Plan::read(&[ConfigFile { name: None, text }], |_| {}) {
        Err(errors) => Some(format!("{errors}\n{example}")),
        Ok(plan) => plan.ineffective(written_on()).first().map(|warning| format!("{warning}\n{example}")),
    }
}

/// When the examples were written, so that their dates do not expire.
fn written_on() -> Timestamp {
    "2026-11-01T00:00:00Z".parse().expect("a time")
}

/// The example with the first two lines of a configuration, unless it is about them.
fn complete(example: &str) -> String {
    let head = [("apiVersion", API_VERSION), ("kind", KIND)];
    let missing = head.into_iter().filter(|(key, _)| !example.lines().any(|line| line.starts_with(&format!("{key}:"))));
    missing.map(|(key, value)| format!("{key}: {value}\n")).collect::<String>() + example
}

fn yaml(text: &str) -> Value {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).unwrap_or_else(|error| panic!("{error}\n{text}"))
}
