//! The parts of a schema that manifests are checked against: names, types, and required fields.

use std::collections::BTreeMap;

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

    /// Returns the types of the schema in a CRD. Required fields are ignored, since checks report their absence for these
    /// kinds.
    pub fn of_schema(schema: &Value) -> Self {
        if schema[ONE_OR_MANY].is_object() {
            return Self::new(Shape::OneOrMany(Box::new(Self::of_schema(&schema[ONE_OR_MANY]))));
        }
        if let Some(fields) = schema["properties"].as_object() {
            let fields = fields.iter().map(|(name, schema)| (name.clone(), Self::of_schema(schema)));
            return Self::new(Shape::Object(fields.collect()));
        }
        if schema["additionalProperties"].is_object() {
            return Self::new(Shape::Map(Box::new(Self::of_schema(&schema["additionalProperties"]))));
        }
        Self::new(match schema["type"].as_str() {
            Some("string") => Shape::Text,
            Some("integer") => Shape::Whole,
            Some("number") => Shape::Number,
            Some("boolean") => Shape::Flag,
            Some("array") => Shape::List(Box::new(Self::of_schema(&schema["items"]))),
            _ => Shape::Any,
        })
    }

    /// Replaces the field `metadata`, which no CRD describes.
    pub fn with_metadata(mut self, metadata: Self) -> Self {
        if let Shape::Object(fields) = &mut self.shape {
            fields.insert("metadata".to_owned(), metadata);
        }
        self
    }
}
