//! Renders what differs between statuses and the specification, as text, YAML and JSON.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde::Serialize;

use crate::message::sanitize;
use crate::status::comparison::{Cause, Difference, Discrepancy, NotCompared, ObjectComparison};

/// The field of an outdated status.
const GENERATION: &str = "observedGeneration";

/// The number of differences in all objects.
pub fn count(all: &[ObjectComparison]) -> usize {
    all.iter().map(|object| object.differences.len()).sum()
}

/// The comparison of all objects as a JSON list.
pub fn json(all: &[ObjectComparison]) -> serde_json::Result<String> {
    serde_json::to_string_pretty(&documents(all)).map(|text| text + "\n")
}

/// The comparison of all objects as a YAML list.
pub fn yaml(all: &[ObjectComparison]) -> Result<String, serde_saphyr::SerializeError> {
    serde_saphyr::to_string(&documents(all))
}

/// The differences as text, by object, with the counts and with what was not compared at the end.
pub fn text(all: &[ObjectComparison]) -> String {
    let mut lines = Vec::new();
    for object in all.iter().filter(|object| !object.differences.is_empty() || !object.unwritten.is_empty()) {
        lines.push(object.object_ref.to_string());
        object.differences.iter().for_each(|difference| lines.extend(difference_lines(difference)));
        for place in &object.unwritten {
            lines.push(format!("  {}no status has been written", prefix(&place.to_string())));
        }
    }
    if !lines.is_empty() {
        lines.push(String::new());
    }
    lines.push(summary(all));
    lines.extend(not_compared(all));
    lines.iter().map(|line| sanitize(line) + "\n").collect()
}

fn difference_lines(Difference { place, discrepancy }: &Difference) -> Vec<String> {
    let head = format!("  {}{discrepancy}", prefix(&place.to_string()));
    let Discrepancy::Value { written, specification, message, .. } = discrepancy else { return vec![head] };
    let or_nothing = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
    vec![
        head,
        format!("    written:       {}", or_nothing(written)),
        format!("    specification: {}: {message}", or_nothing(specification)),
    ]
}

/// A place before what is said about it.
fn prefix(place: &str) -> String {
    if place.is_empty() { String::new() } else { format!("{place}: ") }
}

fn summary(all: &[ObjectComparison]) -> String {
    let of = |is_meant: fn(&ObjectComparison) -> bool| all.iter().filter(|object| is_meant(object)).count();
    let mut text = format!("{} compared: {}", objects(all.len()), counted(count(all), "difference", "differences"));
    let differing = of(|object| !object.differences.is_empty());
    if differing > 0 {
        let _ = write!(text, " in {}", objects(differing));
    }
    let unwritten = of(|object| !object.unwritten.is_empty());
    if unwritten > 0 {
        let _ = write!(text, "; {} without a status", objects(unwritten));
    }
    text
}

fn objects(count: usize) -> String {
    counted(count, "object", "objects")
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// A line for each cause, with how often each condition was not compared.
fn not_compared(all: &[ObjectComparison]) -> Vec<String> {
    let mut by_cause: BTreeMap<Cause, BTreeMap<&str, usize>> = BTreeMap::new();
    for NotCompared { written, cause, .. } in all.iter().flat_map(|object| &object.not_compared) {
        *by_cause.entry(*cause).or_default().entry(written).or_default() += 1;
    }
    let line = |(cause, written): (Cause, BTreeMap<&str, usize>)| {
        let list: Vec<String> = written.into_iter().map(|(written, count)| format!("{written} ({count})")).collect();
        format!("not compared, because {}: {}", reason(cause), list.join(", "))
    };
    by_cause.into_iter().map(line).collect()
}

const fn reason(cause: Cause) -> &'static str {
    match cause {
        Cause::Implementation => "the specification does not name the type",
        Cause::Controller => "only the controller knows",
        Cause::Unknown => "what decides it was not read",
    }
}

/// The comparison of one object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ObjectDocument {
    /// `Kind/namespace/name`; the namespace is empty for cluster-scoped kinds.
    #[serde(rename = "ref")]
    reference: String,
    differences: Vec<DifferenceDocument>,
    unwritten: Vec<String>,
    not_compared: Vec<NotComparedDocument>,
}

#[derive(Serialize)]
struct DifferenceDocument {
    /// The listener, parent or ancestor; empty for the whole object.
    place: String,
    field: String,
    written: Option<String>,
    specification: Option<String>,
    message: String,
}

#[derive(Serialize)]
struct NotComparedDocument {
    place: String,
    written: String,
    cause: &'static str,
}

fn documents(all: &[ObjectComparison]) -> Vec<ObjectDocument> {
    all.iter().map(document).collect()
}

fn document(object: &ObjectComparison) -> ObjectDocument {
    let object_ref = &object.object_ref;
    ObjectDocument {
        reference: format!("{}/{}/{}", object_ref.kind.api().kind, object_ref.namespace, object_ref.name),
        differences: object.differences.iter().map(difference_document).collect(),
        unwritten: object.unwritten.iter().map(ToString::to_string).collect(),
        not_compared: object.not_compared.iter().map(not_compared_document).collect(),
    }
}

fn difference_document(Difference { place, discrepancy }: &Difference) -> DifferenceDocument {
    let place = place.to_string();
    match discrepancy {
        Discrepancy::Value { field, written, specification, message } => DifferenceDocument {
            place,
            field: field.clone(),
            written: written.clone(),
            specification: specification.clone(),
            message: message.clone(),
        },
        Discrepancy::Outdated { written, current } => DifferenceDocument {
            place,
            field: GENERATION.to_owned(),
            written: Some(written.to_string()),
            specification: Some(current.to_string()),
            message: discrepancy.to_string(),
        },
    }
}

fn not_compared_document(NotCompared { place, written, cause }: &NotCompared) -> NotComparedDocument {
    NotComparedDocument { place: place.to_string(), written: written.clone(), cause: reason(*cause) }
}
