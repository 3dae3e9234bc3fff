//! The parts of a schema that manifests are checked against: names, types, and required fields.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use schemars::schema_for;
use serde_json::Value;

/// The key of the schema of a value that is one element or a list of elements, which no structural schema can express.
pub(super) const ONE_OR_MANY: &str = "oneOrMany";

/// The allowed value of one field.
#[derive(Debug)]
pub(super) struct SchemaNode {
    /// Whether it is required in the object that contains it.
    pub required: bool,
    /// The type.
    pub shape: Shape,
    /// Restrictions beyond the type.
    pub limits: SchemaLimits,
}

/// A type.
#[derive(Debug)]
pub(super) enum Shape {
    /// Anything.
    Any,
    /// An object with these fields.
    Object(BTreeMap<String, SchemaNode>),
    /// A map with values of one type.
    Map(Box<SchemaNode>),
    /// A list with elements of one type.
    List(Box<SchemaNode>),
    /// One element, or a list of elements.
    OneOrMany(Box<SchemaNode>),
    /// A string.
    Text,
    /// An integer.
    Whole,
    /// A number.
    Number,
    /// A boolean.
    Flag,
}

/// Restrictions beyond a type.
#[derive(Debug, Default)]
pub(super) struct SchemaLimits {
    /// The minimum length of a text or list, or the minimum value of a number.
    pub least: Option<i64>,
    /// The maximum value of a number.
    pub most: Option<i64>,
    /// The allowed values; empty if any value is allowed.
    pub allowed: Vec<String>,
}

impl SchemaNode {
    /// Returns an optional value of this type.
    pub fn new(shape: Shape) -> Self {
        Self { required: false, shape, limits: SchemaLimits::default() }
    }

    /// Returns the types of a JSON schema. Required fields are ignored, since checks report their absence for these
    /// kinds.
    pub fn of_schema(schema: &Value) -> Self {
        Self::below(schema, schema)
    }

    fn below(root: &Value, schema: &Value) -> Self {
        let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        if let Some(referred) = reference.and_then(|pointer| root.pointer(pointer)) {
            return Self::below(root, referred);
        }
        if schema[ONE_OR_MANY].is_object() {
            return Self::new(Shape::OneOrMany(Box::new(Self::below(root, &schema[ONE_OR_MANY]))));
        }
        if let Some(fields) = schema["properties"].as_object() {
            let fields = fields.iter().map(|(name, schema)| (name.clone(), Self::below(root, schema)));
            return Self::new(Shape::Object(fields.collect()));
        }
        if schema["additionalProperties"].is_object() {
            return Self::new(Shape::Map(Box::new(Self::below(root, &schema["additionalProperties"]))));
        }
        let names = schema["type"].as_array().map_or(std::slice::from_ref(&schema["type"]), Vec::as_slice);
        let mut names = names.iter().filter_map(Value::as_str).filter(|name| *name != "null");
        Self::new(match (names.next(), names.next()) {
            (Some("string"), None) => Shape::Text,
            (Some("integer"), None) => Shape::Whole,
            (Some("number"), None) => Shape::Number,
            (Some("boolean"), None) => Shape::Flag,
            (Some("array"), None) => Shape::List(Box::new(Self::below(root, &schema["items"]))),
            _ => Shape::Any,
        })
    }

    /// Adds the metadata that every object has and that no CRD lists.
    pub fn with_metadata(mut self) -> Self {
        if let Shape::Object(fields) = &mut self.shape {
            fields.insert("metadata".to_owned(), Self::of_schema(&schema_for!(ObjectMeta).to_value()));
        }
        self
    }
}
