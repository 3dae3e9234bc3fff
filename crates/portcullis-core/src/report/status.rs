//! Renders the status of objects as text, YAML and JSON.

use serde::Serialize;
use serde_json::Value;

use crate::kinds::ObjectRef;
use crate::message::sanitize;

/// The status of one object.
#[derive(Debug, Serialize)]
pub struct StatusEntry {
    /// `Kind/namespace/name`; the namespace is empty for cluster-scoped kinds.
    #[serde(rename = "ref")]
    pub reference: String,
    #[serde(skip)]
    object_ref: ObjectRef,
    /// The content of the object's `status`.
    pub status: Value,
}

impl StatusEntry {
    /// The entry for the object at `object_ref`.
    pub fn new(object_ref: &ObjectRef, status: Value) -> Self {
        let reference = format!("{}/{}/{}", object_ref.kind.api().kind, object_ref.namespace, object_ref.name);
        Self { reference, object_ref: object_ref.clone(), status }
    }
}

/// The entries as a JSON list.
pub fn json(entries: &[StatusEntry]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(entries).map(|text| text + "\n")
}

/// The entries as a YAML list.
pub fn yaml(entries: &[StatusEntry]) -> Result<String, serde_saphyr::SerializeError> {
    serde_saphyr::to_string(&entries)
}

/// The entries as text: a line for each object, and an indented line for each condition.
pub fn text(entries: &[StatusEntry]) -> String {
    let mut text = String::new();
    for entry in entries {
        text.push_str(&sanitize(&entry.object_ref.to_string()));
        if let Some(current) = entry.status["currentStatus"].as_str() {
            text.push_str(&sanitize(&format!(": {current}")));
        }
        let has = |field: &str| list(&entry.status[field]).next().is_some();
        if entry.status["currentStatus"].is_null()
            && !["conditions", "listeners", "parents", "ancestors"].into_iter().any(has)
        {
            text.push_str(": nothing is written, since no parent is known to be of a class of this controller");
        }
        text.push('\n');
        lines(&entry.status["conditions"], "  ", &mut text);
        for listener in list(&entry.status["listeners"]) {
            let name = listener["name"].as_str().unwrap_or_default();
            let attached = match listener["attachedRoutes"].as_u64() {
                Some(count) => format!("{count} attached routes"),
                None => "attached routes unknown".to_owned(),
            };
            text.push_str(&sanitize(&format!("  listener {name}: {attached}")));
            text.push('\n');
            lines(&listener["conditions"], "    ", &mut text);
        }
        let parents = list(&entry.status["parents"]).map(|parent| (parent, &parent["parentRef"]));
        let ancestors = list(&entry.status["ancestors"]).map(|ancestor| (ancestor, &ancestor["ancestorRef"]));
        for (parent, reference) in parents.chain(ancestors) {
            text.push_str(&sanitize(&format!("  parent {reference}")));
            text.push('\n');
            lines(&parent["conditions"], "    ", &mut text);
        }
    }
    text
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn lines(conditions: &Value, indent: &str, text: &mut String) {
    for condition in list(conditions) {
        let field = |name: &str| condition[name].as_str().unwrap_or_default();
        let line = format!("{}={} {}: {}", field("type"), field("status"), field("reason"), field("message"));
        text.push_str(indent);
        text.push_str(&sanitize(&line));
        text.push('\n');
    }
}
