//! The errors of reading typed values from nodes.

use std::fmt;

use super::Node;
use crate::config::position::Position;
use crate::config::{ConfigError, UnknownKey};

/// An error, and the node at fault.
#[derive(Debug)]
pub struct NodeError {
    kind: Kind,
    /// The faulty node, and the map that contains it as a key or a value.
    pub node: Option<(usize, Position)>,
}

#[derive(Debug)]
enum Kind {
    Message(String),
    UnknownField { field: String, known: &'static [&'static str] },
    UnknownValue { value: String, known: &'static [&'static str] },
    MissingField(&'static str),
}

impl NodeError {
    pub fn new(message: impl Into<String>) -> Self {
        Self { kind: Kind::Message(message.into()), node: None }
    }

    /// The error at `node`, unless it is already known to be further inside.
    pub(super) fn at(self, node: &Node) -> Self {
        Self { node: self.node.or_else(|| Some((node.id, node.at.clone()))), ..self }
    }

    /// The field that is missing in the node, if that is the error.
    pub fn missing_field(&self) -> Option<&'static str> {
        match self.kind {
            Kind::MissingField(field) => Some(field),
            _ => None,
        }
    }

    /// The error for the author. `parent` is the key whose value is the map that contains the node.
    pub fn into_config_error(self, parent: Option<&str>) -> ConfigError {
        let at = self.node.map(|(_, at)| at).unwrap_or_default();
        match self.kind {
            Kind::Message(message) => ConfigError::new(message, at),
            Kind::MissingField(field) => ConfigError::new(format!("missing field `{field}`"), at),
            Kind::UnknownValue { value, known } => ConfigError::unknown("value", &value, known, at),
            Kind::UnknownField { field, known } => {
                let error = ConfigError::unknown("field", &field, known, at);
                let unknown_key =
                    parent.map(|parent| Box::new(UnknownKey { written: field, parent: parent.to_owned() }));
                ConfigError { unknown_key, ..error }
            }
        }
    }
}

impl fmt::Display for NodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Message(message) => f.write_str(message),
            Kind::UnknownField { field, .. } => write!(f, "unknown field `{field}`"),
            Kind::UnknownValue { value, .. } => write!(f, "unknown value `{value}`"),
            Kind::MissingField(field) => write!(f, "missing field `{field}`"),
        }
    }
}

impl std::error::Error for NodeError {}

impl serde::de::Error for NodeError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::new(message.to_string())
    }

    fn unknown_field(field: &str, known: &'static [&'static str]) -> Self {
        Self { kind: Kind::UnknownField { field: field.to_owned(), known }, node: None }
    }

    fn unknown_variant(value: &str, known: &'static [&'static str]) -> Self {
        Self { kind: Kind::UnknownValue { value: value.to_owned(), known }, node: None }
    }

    fn missing_field(field: &'static str) -> Self {
        Self { kind: Kind::MissingField(field), node: None }
    }
}
