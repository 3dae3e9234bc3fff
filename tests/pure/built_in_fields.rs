//! The table of the fields that built-in kinds have, with which `lint` compares manifests, is that of the types of the API.

use k8s_openapi::api::networking::v1::{Ingress, IngressClass};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use portcullis_testing::golden;
use schemars::schema_for;
use serde_json::Value;

const FILE: &str = "crates/portcullis-core/src/kinds/schema/built_in.txt";
const KNOWN: &str = include_str!("../../crates/portcullis-core/src/kinds/schema/built_in.txt");

#[test]
fn built_in_fields_are_those_of_the_api() {
    let types = [
        ("Ingress", schema_for!(Ingress)),
        ("IngressClass", schema_for!(IngressClass)),
        ("ObjectMeta", schema_for!(ObjectMeta)),
    ];
    let mut table: Vec<String> = KNOWN.lines().take_while(|line| line.starts_with('#')).map(str::to_owned).collect();
    for (name, schema) in types {
        let schema = schema.to_value();
        table.push(name.to_owned());
        fields(&schema, &schema, 1, &mut table);
    }
    golden::must_be_current(FILE, &(table.join("\n") + "\n"));
}

/// Adds a line for each field of `schema`, whose references lead into `root`.
fn fields(root: &Value, schema: &Value, depth: usize, table: &mut Vec<String>) {
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let head = format!("{}{name}", " ".repeat(depth));
        // The metadata of every kind is that of ObjectMeta.
        if (depth, &**name) == (1, "metadata") {
            table.push(format!("{head} any"));
        } else {
            add(root, resolved(root, field), head, depth, table);
        }
    }
}

fn add(root: &Value, schema: &Value, head: String, depth: usize, table: &mut Vec<String>) {
    let below = |name: &str| resolved(root, &schema[name]);
    match type_of(schema) {
        Some("array") => add(root, below("items"), format!("{head}[]"), depth, table),
        Some("object") if schema["properties"].is_object() => {
            table.push(format!("{head} object"));
            fields(root, schema, depth + 1, table);
        }
        Some("object") if schema["additionalProperties"].is_object() => {
            add(root, below("additionalProperties"), format!("{head}{{}}"), depth, table);
        }
        Some("string") => table.push(format!("{head} text")),
        Some("integer") => table.push(format!("{head} whole")),
        Some("number") => table.push(format!("{head} number")),
        Some("boolean") => table.push(format!("{head} flag")),
        _ => table.push(format!("{head} any")),
    }
}

fn resolved<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    let Some(reference) = schema["$ref"].as_str() else { return schema };
    root.pointer(reference.trim_start_matches('#')).expect("a schema refers to what it defines")
}

/// The type of a value that may also be null; `None` if it has several.
fn type_of(schema: &Value) -> Option<&str> {
    let names = schema["type"].as_array().map_or(std::slice::from_ref(&schema["type"]), Vec::as_slice);
    let mut names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
    names.next().filter(|_| names.next().is_none())
}
