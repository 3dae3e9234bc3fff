//! Whether a check judges a field: on its page stands an example whose findings change with that field alone.

use std::path::Path;

use portcullis::checks::Check;
use portcullis::files;
use portcullis::finding::{Action, Finding};
use serde_json::Value;

use crate::page::{Example, examples};
use crate::pages::judge;

/// What no field of ours should hold, and every field that holds text can.
const ODD: &str = "Odd text";

/// Whether some example on the page of `check` that reviews an object of `kind` is judged otherwise once `field` is taken out of it or
/// holds another text. `field` is written as in tests/fields.tsv: `[]` for each element of a list, `{}` for each value of a map.
pub fn decides(check: &Check, kind: &str, field: &str) -> bool {
    examples(check.page).iter().any(|example| {
        let documents: Vec<Value> = serde_saphyr::from_multiple(&example.yaml).expect("an example is YAML");
        let reviewed = documents.first().filter(|document| document["kind"] == kind);
        let changed = reviewed.into_iter().flat_map(|object| changed(object, field));
        let before = found(check, example);
        let mut others = changed.map(|object| with_reviewed(example, object, &documents[1..]));
        others.any(|other| is_readable(&other) && found(check, &other) != before)
    })
}

/// The object once for each place of `field` without what stands there, and once with another text in it.
fn changed(object: &Value, field: &str) -> Vec<Value> {
    let steps: Vec<&str> = field.split('.').collect();
    let mut all = Vec::new();
    for place in places(object, &steps) {
        let (parent, last) = place.rsplit_once('/').expect("a place is below the object");
        let mut without = object.clone();
        match without.pointer_mut(parent) {
            Some(Value::Object(fields)) => drop(fields.remove(&unescaped(last))),
            Some(Value::Array(elements)) => drop(elements.remove(last.parse().expect("an element has an index"))),
            _ => continue,
        }
        let mut odd = object.clone();
        match odd.pointer_mut(parent) {
            Some(Value::Object(fields)) => drop(fields.insert(unescaped(last), ODD.into())),
            Some(Value::Array(elements)) => {
                elements[last.parse::<usize>().expect("an element has an index")] = ODD.into()
            }
            _ => continue,
        }
        all.extend([without, odd]);
    }
    all
}

/// The JSON pointers of a field: where it is, and where it could be because all around it is there.
fn places(value: &Value, steps: &[&str]) -> Vec<String> {
    let Some((step, rest)) = steps.split_first() else { return vec![String::new()] };
    let name = step.trim_end_matches("[]").trim_end_matches("{}");
    let Value::Object(fields) = value else { return Vec::new() };
    let below = |pointer: String, value: &Value| {
        places(value, rest).into_iter().map(|place| format!("{pointer}{place}")).collect::<Vec<_>>()
    };
    match fields.get(name) {
        Some(Value::Array(elements)) if step.ends_with("[]") => {
            let each = elements.iter().enumerate();
            each.flat_map(|(index, element)| below(format!("/{name}/{index}"), element)).collect()
        }
        Some(Value::Object(entries)) if step.ends_with("{}") => {
            entries.iter().flat_map(|(key, value)| below(format!("/{name}/{}", escaped(key)), value)).collect()
        }
        Some(field) => below(format!("/{name}"), field),
        None if rest.is_empty() && *step == name => vec![format!("/{name}")],
        None => Vec::new(),
    }
}

fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

fn unescaped(key: &str) -> String {
    key.replace("~1", "/").replace("~0", "~")
}

fn with_reviewed(example: &Example, reviewed: Value, rest: &[Value]) -> Example {
    let documents = std::iter::once(&reviewed).chain(rest).map(Value::to_string);
    Example { yaml: documents.collect::<Vec<_>>().join("\n---\n"), ..example.clone() }
}

/// An object without a name is none that could be reviewed.
fn is_readable(example: &Example) -> bool {
    files::parse(Path::new("page.md"), &example.yaml).is_ok()
}

/// What the check itself finds and does; its words may show a field that decides nothing.
fn found(check: &Check, example: &Example) -> Vec<(Finding, Action)> {
    let own = judge(check, example).findings.into_iter().filter(|judged| judged.finding.check == check.id);
    own.map(|judged| {
        let mut finding = judged.finding;
        finding.sentence.shown.clear();
        (finding, judged.action)
    })
    .collect()
}
