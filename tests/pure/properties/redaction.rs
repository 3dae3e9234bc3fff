//! If names of other namespaces are not revealed, no message contains a name or a host that only objects of other
//! namespaces contain.
//!
//! The clusters are those of the examples of all pages. Texts that only objects of other namespaces contain get a
//! unique prefix, in the objects and in the configuration, so that the example has the same meaning. No message about
//! the object under review may contain the prefix.

use std::collections::BTreeSet;

use portcullis_core::checks::registry;
use portcullis_core::config::Config;
use portcullis_core::kinds::Kind;
use portcullis_core::message::{Disclosure, render_cause, render_warning};
use portcullis_testing::page::{Example, examples};
use portcullis_testing::pages::{config_text, judge_by, manifests};
use serde_json::Value;

/// The prefix for names and hosts.
const PLANTED: &str = "zq9";

/// The fields with names and hosts.
const FIELDS: [&str; 9] =
    ["name", "namespace", "host", "hosts", "hostname", "hostnames", "fqdn", "secretName", "serviceName"];

#[test]
fn messages_contain_no_names_of_other_namespaces() {
    let (mut leaks, mut hidden) = (Vec::new(), 0);
    for check in registry::all() {
        for example in examples(check.page) {
            let Some((example, config)) = planted(&example, &config_text(check, &example)) else { continue };
            let config = Config { reveal_other_namespaces: false, ..config };
            let plan = portcullis_core::checks::Plan::new(config).unwrap_or_else(|errors| panic!("{errors:?}"));
            let this = manifests(&example.yaml).remove(0).object_ref;
            for evaluated in judge_by(&plan, check, &example, &[]).findings {
                let names = Disclosure::Namespace(&this.namespace);
                hidden += usize::from(render_cause(&evaluated.finding, Disclosure::All).contains(PLANTED));
                let messages = [render_cause(&evaluated.finding, names), render_warning(&evaluated.finding, names)];
                leaks.extend(messages.into_iter().filter(|message| message.contains(PLANTED)));
            }
        }
    }
    leaks.dedup();
    assert_eq!(leaks, [""; 0], "{} messages", leaks.len());
    assert!(hidden > 30, "only {hidden} findings are about objects of others");
}

/// The example and its configuration with the prefix; `None` if all objects are in one namespace.
fn planted(example: &Example, config: &str) -> Option<(Example, Config)> {
    let documents: Vec<(String, Value)> = manifests(&example.yaml)
        .into_iter()
        .map(|manifest| {
            let document = serde_json::from_str(&manifest.json).expect("a manifest is JSON");
            let is_namespace = manifest.object_ref.kind == Kind::Namespace;
            (if is_namespace { manifest.object_ref.name } else { manifest.object_ref.namespace }, document)
        })
        .collect();
    let own = &documents.first()?.0;
    let (mut ours, mut theirs) = (BTreeSet::new(), BTreeSet::new());
    for (namespace, document) in &documents {
        let is_ours = namespace == own || namespace.is_empty();
        if is_ours { all_texts(document, &mut ours) } else { named_texts(document, false, &mut theirs) }
    }
    if let Some(old) = &example.old {
        manifests(old).iter().for_each(|old| all_texts(&serde_json::from_str(&old.json).expect("JSON"), &mut ours));
    }
    let is_foreign = |text: &&String| !text.is_empty() && !ours.contains(*text);
    let redactable: BTreeSet<String> = theirs.iter().filter(is_foreign).cloned().collect();
    if redactable.is_empty() {
        return None;
    }
    let rename = |(_, mut document): (String, Value)| {
        renamed(&mut document, &redactable);
        document.to_string()
    };
    let yaml: Vec<String> = documents.into_iter().map(rename).collect();
    let options = serde_saphyr::options! { strict_booleans: true };
    let mut config: Value = serde_saphyr::from_str_with_options(config, options).expect("a configuration is YAML");
    renamed(&mut config, &redactable);
    let config = Config::parse(&config.to_string()).unwrap_or_else(|error| panic!("{error}\n{config}"));
    Some((Example { yaml: yaml.join("\n---\n"), ..example.clone() }, config))
}

/// All texts in `value` and their parts, including keys.
fn all_texts(value: &Value, texts: &mut BTreeSet<String>) {
    match value {
        Value::String(text) => {
            texts.insert(text.clone());
            texts.extend(text.split(['/', ',', ' ']).map(str::to_owned));
        }
        Value::Array(values) => values.iter().for_each(|value| all_texts(value, texts)),
        Value::Object(fields) => fields.iter().for_each(|(key, value)| {
            texts.insert(key.clone());
            all_texts(value, texts);
        }),
        _ => {}
    }
}

/// The texts in `value` that are names or hosts.
fn named_texts(value: &Value, is_named: bool, texts: &mut BTreeSet<String>) {
    match value {
        Value::String(text) if is_named => drop(texts.insert(text.clone())),
        Value::Array(values) => values.iter().for_each(|value| named_texts(value, is_named, texts)),
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| named_texts(value, FIELDS.contains(&key.as_str()), texts));
        }
        _ => {}
    }
}

/// Adds the prefix to each text in `redactable`, after the `*.` of a wildcard.
fn renamed(value: &mut Value, redactable: &BTreeSet<String>) {
    match value {
        Value::String(text) if redactable.contains(text) => {
            *text = match text.strip_prefix("*.") {
                Some(domain) => format!("*.{PLANTED}{domain}"),
                None => format!("{PLANTED}{text}"),
            };
        }
        Value::Array(values) => values.iter_mut().for_each(|value| renamed(value, redactable)),
        Value::Object(fields) => fields.values_mut().for_each(|value| renamed(value, redactable)),
        _ => {}
    }
}
