//! A schema as far as manifests are held against it: names, types, and what must be there.

use std::collections::BTreeMap;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use schemars::schema_for;
use serde_json::Value;

/// What may stand at one place.
#[derive(Debug)]
pub(super) struct Node {
    /// Whether the object around it must have it.
    pub required: bool,
    /// Its type.
    pub shape: Shape,
    /// What is allowed beyond the type.
    pub limits: Limits,
}

/// A type.
#[derive(Debug)]
pub(super) enum Shape {
    /// Anything.
    Any,
    /// An object of these fields.
    Object(BTreeMap<String, Node>),
    /// Values of one type under any key.
    Map(Box<Node>),
    /// Elements of one type.
    List(Box<Node>),
    /// A string.
    Text,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// True or false.
    Flag,
}

/// What is allowed beyond a type.
#[derive(Debug, Default)]
pub(super) struct Limits {
    /// The least length of a text or a list, the least value of a number.
    pub least: Option<i64>,
    /// The greatest value of a number.
    pub most: Option<i64>,
    /// The values, if only some are allowed.
    pub allowed: Vec<String>,
}

impl Node {
    /// A value of this type that may be absent.
    pub fn new(shape: Shape) -> Self {
        Self { required: false, shape, limits: Limits::default() }
    }

    /// The types of a JSON schema. What it requires is not asked for: of these kinds own checks tell.
    pub fn of_schema(schema: &Value) -> Self {
        Self::below(schema, schema)
    }

    fn below(root: &Value, schema: &Value) -> Self {
        let reference = schema["$ref"].as_str().and_then(|reference| reference.strip_prefix('#'));
        if let Some(referred) = reference.and_then(|pointer| root.pointer(pointer)) {
            return Self::below(root, referred);
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

    /// The same with the metadata that every object has, which no CRD lists.
    pub fn with_metadata(mut self) -> Self {
        if let Shape::Object(fields) = &mut self.shape {
            fields.insert("metadata".to_owned(), Self::of_schema(&schema_for!(ObjectMeta).to_value()));
        }
        self
    }
}
