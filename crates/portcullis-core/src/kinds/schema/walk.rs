//! Validates a value against its schema.

use std::collections::BTreeMap;

use serde_json::{Map, Number, Value};

use super::node::{SchemaLimits, SchemaNode, Shape};
use super::{ManifestErrors, SchemaError, UnknownField, Violation};
use crate::field::FieldPath;
use crate::names::closest;

/// Adds the faults of `value` at the address `at`, and of the values below it, to `faults`.
pub(super) fn walk(node: &SchemaNode, value: &Value, at: &FieldPath, faults: &mut ManifestErrors) {
    match (&node.shape, value) {
        (Shape::Any, _) => {}
        (Shape::Object(known), Value::Object(fields)) => walk_fields(known, fields, at, faults),
        (Shape::Map(element), Value::Object(entries)) => {
            for (key, value) in entries.iter().filter(|(_, value)| !value.is_null()) {
                walk(element, value, &at.clone().key(key), faults);
            }
        }
        (Shape::OneOrMany(element), Value::Object(_)) => walk(element, value, at, faults),
        (Shape::List(element) | Shape::OneOrMany(element), Value::Array(elements)) => {
            if elements.is_empty() && node.limits.least.is_some() {
                faults.violations.push(Violation { at: at.clone(), fault: SchemaError::Empty });
            }
            // For the built-in kinds, the API server decodes a null in a list of objects as an empty object.
            let is_text = matches!(element.shape, Shape::Text);
            for (index, value) in elements.iter().enumerate().filter(|(_, value)| is_text || !value.is_null()) {
                walk(element, value, &at.clone().index(index), faults);
            }
        }
        (Shape::Text, Value::String(text)) => limit_text(&node.limits, text, at, faults),
        (Shape::Whole | Shape::Number, Value::Number(number)) if is_of_shape(&node.shape, number) => {
            limit_number(&node.limits, number, at, faults);
        }
        (Shape::Flag, Value::Bool(_)) => {}
        (shape, value) => {
            let fault = SchemaError::Mistyped { expected: expected(shape, value), written: written(value) };
            faults.violations.push(Violation { at: at.clone(), fault });
        }
    }
}

fn walk_fields(
    known: &BTreeMap<String, SchemaNode>,
    fields: &Map<String, Value>,
    at: &FieldPath,
    faults: &mut ManifestErrors,
) {
    for (name, value) in fields {
        let at = at.clone().member(name);
        match known.get(name) {
            // A null is dropped before schema validation, so it counts as absent.
            Some(_) if value.is_null() => {}
            Some(node) => walk(node, value, &at, faults),
            None => {
                let like = closest(name, known.keys().map(String::as_str));
                faults.unknown.push(UnknownField { at, name: name.clone(), like });
            }
        }
    }
    let is_missing = |name: &str| fields.get(name).is_none_or(Value::is_null);
    for (name, _) in known.iter().filter(|(name, node)| node.required && is_missing(name)) {
        faults.violations.push(Violation { at: at.clone().member(name), fault: SchemaError::Missing(name.clone()) });
    }
}

fn limit_text(limits: &SchemaLimits, text: &str, at: &FieldPath, faults: &mut ManifestErrors) {
    if text.is_empty() && limits.least.is_some_and(|least| least > 0) {
        faults.violations.push(Violation { at: at.clone(), fault: SchemaError::Empty });
    } else if !limits.allowed.is_empty() && !limits.allowed.iter().any(|allowed| allowed == text) {
        let fault = SchemaError::NotAllowed { value: text.to_owned(), allowed: limits.allowed.join(", ") };
        faults.violations.push(Violation { at: at.clone(), fault });
    }
}

fn limit_number(limits: &SchemaLimits, number: &Number, at: &FieldPath, faults: &mut ManifestErrors) {
    let Some(value) = whole(number) else { return };
    let in_range = limits.least.is_none_or(|least| value >= least) && limits.most.is_none_or(|most| value <= most);
    let is_allowed = limits.allowed.is_empty() || limits.allowed.iter().any(|allowed| *allowed == value.to_string());
    if in_range && is_allowed {
        return;
    }
    let allowed = match (limits.least, limits.most) {
        (Some(least), Some(most)) => format!("{least} to {most}"),
        (Some(least), None) => format!("{least} or more"),
        (None, Some(most)) => format!("{most} or less"),
        (None, None) => limits.allowed.join(", "),
    };
    faults
        .violations
        .push(Violation { at: at.clone(), fault: SchemaError::NotAllowed { value: value.to_string(), allowed } });
}

fn is_of_shape(shape: &Shape, number: &Number) -> bool {
    matches!(shape, Shape::Number) || whole(number).is_some()
}

/// The value of a number without a fraction, such as `1` or `1.0`.
fn whole(number: &Number) -> Option<i64> {
    let integral = || number.as_f64().filter(|float| float.fract() == 0.0).map(|float| float as i64);
    number.as_i64().or_else(integral)
}

/// The name of a type, for messages about the required type.
fn expected(shape: &Shape, value: &Value) -> &'static str {
    match shape {
        // YAML reads `on`, `yes` and `1.10` as something else than a string.
        Shape::Text if matches!(value, Value::Bool(_) | Value::Number(_)) => "a string in quotes",
        Shape::Any => "anything",
        Shape::Object(_) | Shape::Map(_) => "a map",
        Shape::List(_) => "a list",
        Shape::OneOrMany(_) => "a map or a list of maps",
        Shape::Text => "a string",
        Shape::Whole => "a whole number",
        Shape::Number => "a number",
        Shape::Flag => "true or false",
    }
}

/// The name of the type of a value.
fn written(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}
