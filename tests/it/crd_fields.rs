//! The table of fields with which `lint` compares manifests is generated from the CRDs of other projects, and compared
//! with the file in the repository.

use std::collections::BTreeSet;
use std::env;
use std::fs;

use libtest_mimic::Trial;
use portcullis_core::bundle::Bundle;
use portcullis_core::kinds::Kind;
use portcullis_core::validation::channel_fields::CHANNEL_FIELDS;
use serde_json::Value;

use crate::harness::{Channel, crds, delegation_crds, on_contour_and_gateway_api, on_gateway_api, pinned_versions};

/// If this environment variable is set, the trial writes the table instead of comparing it.
const WRITE: &str = "PORTCULLIS_WRITE_FIELDS";
const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/portcullis-core/src/kinds/schema/crds.txt");

/// The kinds in the table, in its order.
const KINDS: [Kind; 11] = [
    Kind::GatewayClass,
    Kind::Gateway,
    Kind::ListenerSet,
    Kind::HttpRoute,
    Kind::GrpcRoute,
    Kind::TlsRoute,
    Kind::TcpRoute,
    Kind::UdpRoute,
    Kind::ReferenceGrant,
    Kind::BackendTlsPolicy,
    Kind::HttpProxy,
];

pub fn trials() -> Vec<Trial> {
    vec![
        on_contour_and_gateway_api("crd_fields::the_table_is_that_of_the_crds", the_table_is_that_of_the_crds),
        on_gateway_api(
            "crd_fields::the_fields_of_channels_are_those_of_the_crds",
            the_fields_of_channels_are_those_of_the_crds,
        ),
    ]
}

/// Of each supported bundle, the fields that the CRDs of another one have and its own do not are those of the table.
fn the_fields_of_channels_are_those_of_the_crds() {
    let channels = [(Channel::Standard, "standard"), (Channel::Experimental, "experimental")];
    for kind in KINDS.into_iter().filter(|kind| kind.is_gateway_api()) {
        let bundles = pinned_versions().flat_map(|version| channels.map(|channel| (version, channel)));
        let of_bundle = |(version, (channel, name)): (&str, (Channel, &str))| {
            let bundle = Bundle::parse(&format!("v{version}"), name).expect("a bundle");
            let all = crds(version, channel);
            let own = all.iter().find(|crd| crd["spec"]["names"]["kind"] == kind.api().kind)?;
            let versions = own["spec"]["versions"].as_array().into_iter().flatten();
            let served = versions.filter(|version| {
                version["served"] == true
                    && version["name"].as_str().is_some_and(|name| kind.api().versions.contains(&name))
            });
            let mut paths = BTreeSet::new();
            served.for_each(|version| {
                addresses(&version["schema"]["openAPIV3Schema"]["properties"]["spec"], "spec".to_owned(), &mut paths);
            });
            (!paths.is_empty()).then_some((bundle, paths))
        };
        let known: Vec<(Bundle, BTreeSet<String>)> = bundles.filter_map(of_bundle).collect();
        let all: BTreeSet<&String> = known.iter().flat_map(|(_, paths)| paths).collect();
        for (bundle, own) in &known {
            let missing: BTreeSet<&str> =
                all.iter().filter(|path| !own.contains(**path)).map(|path| path.as_str()).collect();
            let is_below = |path: &&str| {
                missing
                    .iter()
                    .any(|other| path.starts_with(&format!("{other}.")) || path.starts_with(&format!("{other}[]")))
            };
            let highest: BTreeSet<&str> = missing.iter().copied().filter(|path| !is_below(path)).collect();
            let rows = CHANNEL_FIELDS.iter().filter(|row| row.kinds.contains(kind) && !row.is_in(*bundle));
            let mut listed: BTreeSet<&str> = rows.map(|row| row.path).collect();
            // Its fields changed within the experimental channel.
            let highest: BTreeSet<&str> =
                highest.into_iter().filter(|path| !path.contains("sessionPersistence.")).collect();
            // Another check reports it.
            listed.extend(highest.get("spec.addresses[].routability"));
            assert_eq!(listed, highest, "{kind} in {bundle}");
        }
    }
}

/// Adds the addresses of all fields below a schema.
fn addresses(schema: &Value, at: String, all: &mut BTreeSet<String>) {
    for (name, below) in schema["properties"].as_object().into_iter().flatten() {
        let at = format!("{at}.{name}");
        addresses(below, at.clone(), all);
        all.insert(at);
    }
    if schema["items"].is_object() {
        addresses(&schema["items"], format!("{at}[]"), all);
    }
}

fn the_table_is_that_of_the_crds() {
    let known = fs::read_to_string(FILE).expect("the table can be read");
    let head = known.lines().take_while(|line| line.starts_with('#'));
    let mut table: Vec<String> = head.map(str::to_owned).collect();
    let channels = [Channel::Standard, Channel::Experimental];
    let bundles = pinned_versions().flat_map(|version| channels.map(|channel| crds(version, channel)));
    let all: Vec<Value> = bundles.flatten().chain(delegation_crds()).collect();
    for kind in KINDS {
        let own = all.iter().filter(|crd| crd["spec"]["group"] == kind.api().group);
        let own = own.filter(|crd| crd["spec"]["names"]["kind"] == kind.api().kind);
        let versions = own.flat_map(|crd| crd["spec"]["versions"].as_array().into_iter().flatten());
        let schemas: Vec<&Value> = versions.map(|version| &version["schema"]["openAPIV3Schema"]).collect();
        assert!(!schemas.is_empty(), "no CRD of {kind}");
        table.push(kind.api().kind.to_owned());
        fields(&schemas, 1, kind == Kind::HttpProxy, &mut table);
    }
    let made = table.join("\n") + "\n";
    if env::var_os(WRITE).is_some() {
        return fs::write(FILE, made).expect("the table can be written");
    }
    let mut differing = made.lines().zip(known.lines()).filter(|(made, known)| made != known);
    assert_eq!(made, known, "{FILE} is stale: set {WRITE}=1 and run this again; first {:?}", differing.next());
}

/// The fields that any of `schemas` describes; with their allowed values if `strict`.
fn fields(schemas: &[&Value], depth: usize, strict: bool, table: &mut Vec<String>) {
    let names = schemas.iter().filter_map(|schema| schema["properties"].as_object()).flat_map(|fields| fields.keys());
    for name in names.collect::<BTreeSet<_>>() {
        if depth == 1 && ["metadata", "status"].contains(&name.as_str()) {
            table.push(format!(" {name} any"));
            continue;
        }
        let below = schemas.iter().map(|schema| &schema["properties"][name]).filter(|below| !below.is_null());
        let is_required = |schema: &&Value| {
            let required = schema["required"].as_array().into_iter().flatten().any(|required| required == name);
            required && schema["properties"][name].get("default").is_none()
        };
        let head = format!("{}{name}", " ".repeat(depth));
        let required = if schemas.iter().all(is_required) { "!" } else { "" };
        field(&below.collect::<Vec<_>>(), head, required, depth, strict, table);
    }
}

fn field(schemas: &[&Value], head: String, required: &str, depth: usize, strict: bool, table: &mut Vec<String>) {
    let below = |name: &'static str| schemas.iter().map(move |schema| &schema[name]).filter(|below| below.is_object());
    match word(schemas) {
        "array" => {
            let filled = if strict && schemas[0]["minItems"].as_i64() > Some(0) { "+" } else { "" };
            field(&below("items").collect::<Vec<_>>(), format!("{head}[]{filled}"), required, depth, strict, table);
        }
        "object" if below("properties").next().is_some() => {
            table.push(format!("{head}{required} object"));
            let described: Vec<&Value> =
                schemas.iter().filter(|schema| schema["properties"].is_object()).copied().collect();
            fields(&described, depth + 1, strict, table);
        }
        "object" if below("additionalProperties").next().is_some() => {
            let values: Vec<&Value> = below("additionalProperties").collect();
            field(&values, format!("{head}{{}}"), required, depth, strict, table);
        }
        "object" => table.push(format!("{head}{required} any")),
        word => {
            let limits = if strict { limits(schemas[0]) } else { String::new() };
            table.push(format!("{head}{required} {word}{limits}"));
        }
    }
}

/// The table's word for the type that all of `schemas` give a value.
fn word(schemas: &[&Value]) -> &'static str {
    let word = |schema: &&Value| {
        let is_open = ["x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"];
        match schema["type"].as_str() {
            _ if is_open.iter().any(|mark| schema[*mark] == true) => "any",
            Some("string") => "text",
            Some("integer") => "whole",
            Some("number") => "number",
            Some("boolean") => "flag",
            Some("array") => "array",
            Some("object") => "object",
            _ => "any",
        }
    };
    let words: BTreeSet<&str> = schemas.iter().map(word).collect();
    if words.len() == 1 { word(&schemas[0]) } else { "any" }
}

/// The restrictions of a schema beyond the type.
fn limits(schema: &Value) -> String {
    let most = schema["maximum"].as_i64().map(|most| most - i64::from(schema["exclusiveMaximum"] == true));
    let text = |bound: Option<i64>| bound.map(|bound| bound.to_string()).unwrap_or_default();
    if let Some(values) = schema["enum"].as_array() {
        let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        return format!(" ={}", values.iter().map(text).collect::<Vec<_>>().join("|"));
    }
    match schema["type"].as_str() {
        Some("string") if schema["minLength"].as_i64() > Some(0) => " 1..".to_owned(),
        Some("integer") if schema["minimum"].is_number() || schema["maximum"].is_number() => {
            format!(" {}..{}", text(schema["minimum"].as_i64()), text(most))
        }
        _ => String::new(),
    }
}
