//! Compares the JSON schema with the parser: both accept the same configurations and know the same keys.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use portcullis_core::checks::registry;
use portcullis_core::config::{Config, KIND};
use portcullis_core::defaults;
use portcullis_testing::config::text;
use portcullis_testing::page::blocks;
use serde_json::Value;

/// The errors of `value` under `schema`. Supports only the keywords that our schema uses, and fails for any other
/// keyword.
fn faults(root: &Value, schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (word, expected) in schema.as_object().into_iter().flatten() {
        match word.as_str() {
            "$ref" => {
                let name =
                    expected.as_str().and_then(|name| name.strip_prefix('#')).expect("a reference stays in the schema");
                faults.extend(self::faults(root, root.pointer(name).expect("it refers to what it defines"), value, at));
            }
            "anyOf" | "oneOf" => {
                let choices: Vec<_> = expected.as_array().into_iter().flatten().collect();
                if choices.iter().all(|choice| !self::faults(root, choice, value, at).is_empty()) {
                    faults.push(format!("{at}: {value} is none of the choices"));
                }
            }
            "type" if !is_of(expected, value) => faults.push(format!("{at}: {value} is not of type {expected}")),
            "enum" if !expected.as_array().is_some_and(|words| words.contains(value)) => {
                faults.push(format!("{at}: {value} is not of {expected}"))
            }
            "const" if expected != value => faults.push(format!("{at}: {value} is not {expected}")),
            "required" => {
                let missing = expected.as_array().into_iter().flatten().filter_map(Value::as_str);
                faults.extend(
                    missing
                        .filter(|key| value.is_object() && value.get(key).is_none())
                        .map(|key| format!("{at} lacks {key}")),
                );
            }
            "properties" | "additionalProperties" => {}
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    faults.extend(self::faults(root, expected, item, &format!("{at}[{index}]")));
                }
            }
            "uniqueItems" => {
                let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
                let repeated = items.iter().enumerate().filter(|(index, item)| items[..*index].contains(item));
                faults.extend(repeated.map(|(_, item)| format!("{at}: {item} is there twice")));
            }
            "type" | "enum" | "const" | "$schema" | "$defs" | "title" | "description" | "default" | "format"
            | "pattern" | "minimum" | "maximum" => {}
            other => panic!("the test does not know the word {other}"),
        }
    }
    for (key, inner) in value.as_object().into_iter().flatten() {
        let at = format!("{at}.{key}");
        match (schema.get("properties").and_then(|known| known.get(key)), schema.get("additionalProperties")) {
            (Some(known), _) => faults.extend(self::faults(root, known, inner, &at)),
            (None, Some(Value::Bool(false))) => faults.push(format!("{at} is no key")),
            (None, Some(other)) => faults.extend(self::faults(root, other, inner, &at)),
            (None, None) => {}
        }
    }
    faults
}

fn is_of(types: &Value, value: &Value) -> bool {
    let is = |name: &Value| match name.as_str() {
        Some("object") => value.is_object(),
        Some("array") => value.is_array(),
        Some("string") => value.is_string(),
        Some("boolean") => value.is_boolean(),
        Some("integer") => value.is_i64() || value.is_u64(),
        Some("number") => value.is_number(),
        Some("null") => value.is_null(),
        _ => panic!("the test does not know the type {name}"),
    };
    types.as_array().map_or_else(|| is(types), |types| types.iter().any(is))
}

fn schema_errors(config: &str) -> Vec<String> {
    let options = serde_saphyr::options! { strict_booleans: true };
    let value: Value = serde_saphyr::from_str_with_options(config, options).expect("a configuration is YAML");
    let schema = Config::json_schema();
    faults(&schema, &schema, &value, "")
}

/// The configurations on all pages and in the files of this repository.
fn configurations() -> Vec<String> {
    let pages = registry::all().map(|check| check.page);
    let pages = pages.chain(defaults::registry::ALL.iter().map(|defaulter| defaulter.page));
    let of_page = |page| blocks(page).into_iter().filter(|block| block.words == "yaml config");
    let mut all: Vec<_> = pages.flat_map(of_page).map(|block| text(&block.text)).collect();
    for folder in ["docs", "examples", "manifests"] {
        collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder), &mut all);
    }
    all
}

/// Adds each YAML document below `folder` that is a configuration.
fn collect(folder: &Path, all: &mut Vec<String>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, all);
        } else if path.extension().is_some_and(|end| end == "yaml") {
            let text = fs::read_to_string(&path).expect("a file of ours can be read");
            let documents = text.split("\n---\n").filter(|document| document.contains(&format!("\nkind: {KIND}\n")));
            all.extend(documents.map(str::to_owned));
        }
    }
}

#[test]
fn schema_accepts_valid_configurations() {
    let configurations = configurations();
    assert!(configurations.len() > 20, "only {} were found", configurations.len());
    for config in &configurations {
        Config::parse(config).unwrap_or_else(|error| panic!("{error}\n{config}"));
        assert_eq!(schema_errors(config), [""; 0], "{config}");
    }
    for written in [
        "profile: kep-758@0.1",
        "themes: {policy: Off}",
        "checks: {'*': Warn, ingress/snippet: {action: Off, match: {users: [a], groups: [b], extra: {c: [d]}, ingressClasses: [c], namespaces: {names: [d], labels: {e: f}}}}}",
        "checks: {ingress/port-not-allowed: {allow: [80, 8000-8999], deny: [22]}}",
        "defaults: {ingress/default-class: {enabled: false, onMultipleDefaults: newest}}",
        "exemptions: [{checks: ['*'], match: {users: [a]}, reason: b, expires: 2026-12-01}]",
        "handovers: [{host: a.com, from: a, to: b, expires: '2026-12-01T00:00:00Z'}]",
        "hostOwnership: {unlisted: FirstNamespace}",
        "checks: {ingress/annotation-not-allowed: {allowedAnnotations: [{prefix: a/, allow: [{key: b*, value: c+}]}]}}",
        "checks: {object/label-required: {required: [{key: a/b, value: c+, kinds: [Ingress]}]}}",
        "checks: {gateway/class-not-allowed: {unlisted: Deny, classes: []}, ingress/hosts-too-many: {maxHosts: 3}}",
        "hostOwnership: {unlisted: Deny, hosts: [{host: '*', namespaces: {names: [a]}}]}",
        "overrides: [{match: {namespaces: {notNames: [a], matchExpressions: [{key: b, operator: NotIn, values: [c]}]}}, profile: audit, themes: {shape: Warn}, checks: {ingress/snippet: Off}, maxAction: Deny}]\nmaxAction: Warn\nnamespaceProfileLabel: example.com/profile",
        "rootNamespaces: {Gateway: [edge]}\nrevealOtherNamespaces: false",
    ] {
        let config = text(written);
        Config::parse(&config).unwrap_or_else(|error| panic!("{error}\n{config}"));
        assert_eq!(schema_errors(&config), [""; 0], "{config}");
    }
}

/// Both reject an unknown key at any position.
#[test]
fn the_schema_knows_every_key() {
    let wrong = [
        "profil: baseline",
        "exemptions: [{checks: ['*'], match: {user: [a]}, reason: b}]",
        "exemptions: [{checks: ['*'], match: {users: [a]}, reason: b, expire: 2026-12-01}]",
        "checks: {ingress/snippet: {prefix: [a]}}",
        "checks: {ingress/snippet: {match: {namespaces: {name: [web]}}}}",
        "checks: {ingress/annotation-forbidden: {annotations: [{key: a, values: b}]}}",
        "checks: {ingress/class-not-allowed: {classes: [{class: a, namespace: {}}]}}",
        "checks: {ingress/annotation-not-allowed: {allowedAnnotations: [{prefix: a/, keys: []}]}}",
        "checks: {ingress/annotation-not-allowed: {allowedAnnotations: [{prefix: a/, allow: [{key: b, values: c}]}]}}",
        "checks: {object/label-required: {required: [{key: a, kind: Ingress}]}}",
        "maxAction: Off",
        "overrides: [{match: {users: [a]}, maxAction: Audit}]",
        "hostOwnership: {host: []}",
        "hostOwnership: {unlisted: First}",
        "hostOwnership: {hosts: [{host: a.com, namespaces: {label: {a: b}}}]}",
        "handovers: [{host: a.com, from: web, to: bank, end: 2026-12-01}]",
        "overrides: [{only: {users: [a]}, profile: audit}]",
        "overrides: [{match: {users: [a]}, exemptions: []}]",
        "defaults: {ingress/default-class: {severals: newest}}",
    ];
    for config in wrong.map(text) {
        assert!(Config::parse(&config).is_err(), "the reader takes {config}");
        assert_ne!(schema_errors(&config), [""; 0], "the schema takes {config}");
    }
    let schema = Config::json_schema();
    let keys: BTreeSet<_> =
        schema["properties"].as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect();
    for key in keys {
        assert_ne!(schema_errors(&text(&format!("{}s: 1", key))), [""; 0], "{key}s");
    }
}
