//! The tables that say how each text field is handled, to be compared with the schemas of the API.

use serde_json::Value;

/// The columns are the kind, the field, `judged` or `ignored`, and the checks that read the field or the reason to
/// ignore it.
pub const FIELDS: &str = include_str!("../../../tests/fields.tsv");

/// The same table for the kinds whose CRDs are defined in this repository.
pub const OUR_FIELDS: &str = include_str!("../../../tests/fields-delegation.tsv");

/// The same table for the Gateway API, whose schemas are the upstream CRDs.
pub const GATEWAY_FIELDS: &str = include_str!("../../../tests/fields-gateway.tsv");

/// The lines of a table that are not comments, split into columns.
pub fn lines(table: &'static str) -> impl Iterator<Item = Vec<&'static str>> {
    let lines = table.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| line.split('\t').collect())
}

/// The kind and field of each row of a table.
pub fn listed(table: &'static str) -> Vec<String> {
    let listed = lines(table).map(|columns| match columns[..] {
        [kind, field, "judged" | "ignored", why] if !why.is_empty() => format!("{kind} {field}"),
        _ => panic!("a line is kind, field, judged or ignored, and why: {columns:?}"),
    });
    listed.collect()
}

/// All text fields of `schema`, whose references are resolved, in its order.
pub fn text_fields(schema: &Value) -> Vec<String> {
    let mut fields = Vec::new();
    collect(schema, schema, String::new(), &mut fields);
    fields
}

/// Collects all text fields below `schema`, which is the schema of `field`.
fn collect(root: &Value, schema: &Value, field: String, fields: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let referred = root.pointer(reference.trim_start_matches('#')).expect("a schema refers to what it defines");
        return collect(root, referred, field, fields);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let dot = if field.is_empty() { "" } else { "." };
        collect(root, property, format!("{field}{dot}{name}"), fields);
    }
    match schema["type"].as_str() {
        Some("string") => fields.push(field),
        Some("array") => collect(root, &schema["items"], format!("{field}[]"), fields),
        Some("object") if schema["additionalProperties"].is_object() => {
            collect(root, &schema["additionalProperties"], format!("{field}{{}}"), fields);
        }
        _ => {}
    }
}
