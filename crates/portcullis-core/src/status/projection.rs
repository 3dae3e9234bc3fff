//! The part of a CRD's schema that decides what the API server stores of a status: it drops fields that the schema does
//! not have, and fills in defaults. A status that is projected the same way equals the stored one.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The schema of a status, reduced to what changes a value.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum StatusSchema {
    /// Any value, which is stored as it is.
    #[default]
    Any,
    /// A map of these fields and no others.
    Fields(BTreeMap<String, Field>),
    /// A map with any keys.
    Map(Box<StatusSchema>),
    /// A list.
    List(Box<StatusSchema>),
}

/// A field of a map.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    schema: StatusSchema,
    default: Option<Value>,
}

impl StatusSchema {
    /// Returns the schema of a status, given as a structural schema (`openAPIV3Schema`).
    pub fn of(schema: &Value) -> Self {
        if schema["x-kubernetes-preserve-unknown-fields"] == true {
            return Self::Any;
        }
        if let Some(fields) = schema["properties"].as_object() {
            return Self::Fields(fields.iter().map(|(name, schema)| (name.clone(), Field::of(schema))).collect());
        }
        match &schema["type"] {
            Value::String(kind) if kind == "object" => match &schema["additionalProperties"] {
                values @ Value::Object(_) => Self::Map(Box::new(Self::of(values))),
                Value::Bool(true) => Self::Any,
                _ => Self::Fields(BTreeMap::new()),
            },
            Value::String(kind) if kind == "array" => Self::List(Box::new(Self::of(&schema["items"]))),
            _ => Self::Any,
        }
    }

    /// Changes `value` into what the API server stores of it.
    ///
    /// ```
    /// use portcullis_core::status::StatusSchema;
    /// use serde_json::json;
    ///
    /// let address = json!({"type": "object", "properties": {"value": {"type": "string"}, "type": {"default": "IPAddress"}}});
    /// let schema = StatusSchema::of(&json!({"type": "object", "properties": {"addresses": {"type": "array", "items": address}}}));
    /// let mut status = json!({"addresses": [{"value": "192.0.2.1", "routability": "Public"}]});
    /// schema.project(&mut status);
    /// assert_eq!(status, json!({"addresses": [{"value": "192.0.2.1", "type": "IPAddress"}]}));
    /// ```
    pub fn project(&self, value: &mut Value) {
        match (self, value) {
            (Self::Fields(fields), Value::Object(map)) => project_fields(fields, map),
            (Self::Map(values), Value::Object(map)) => map.values_mut().for_each(|value| values.project(value)),
            (Self::List(items), Value::Array(list)) => list.iter_mut().for_each(|item| items.project(item)),
            _ => {}
        }
    }
}

impl Field {
    fn of(schema: &Value) -> Self {
        Self { schema: StatusSchema::of(schema), default: schema.get("default").cloned() }
    }
}

fn project_fields(fields: &BTreeMap<String, Field>, map: &mut Map<String, Value>) {
    map.retain(|name, _| fields.contains_key(name));
    for (name, Field { schema, default }) in fields {
        match (map.get_mut(name), default) {
            (Some(value), _) => schema.project(value),
            (None, Some(default)) => drop(map.insert(name.clone(), default.clone())),
            (None, None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unknown_fields_are_dropped_unless_the_schema_preserves_them() {
        let closed = json!({"type": "object", "properties": {"name": {"type": "string"}}});
        let open = json!({"type": "object", "x-kubernetes-preserve-unknown-fields": true});
        let counts = json!({"type": "object", "additionalProperties": {"type": "object", "properties": {"n": {}}}});
        let properties = json!({"closed": closed, "open": open, "counts": counts, "bare": {"type": "object"}});
        let schema = StatusSchema::of(&json!({"type": "object", "properties": properties}));
        let mut status = json!({
            "closed": {"name": "a", "more": 1}, "open": {"more": 1}, "counts": {"a": {"n": 1, "m": 2}}, "bare": {"a": 1},
            "other": 7,
        });
        schema.project(&mut status);
        let expected = json!({"closed": {"name": "a"}, "open": {"more": 1}, "counts": {"a": {"n": 1}}, "bare": {}});
        assert_eq!(status, expected);
        schema.project(&mut status);
        assert_eq!(status, expected, "what is stored stays as it is");
    }
}
