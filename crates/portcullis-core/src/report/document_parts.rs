//! Parts that the documents of answers, outcomes and comparisons share.

use schemars::JsonSchema;
use serde::Serialize;

use crate::explain::Port;
use crate::kinds::ObjectRef;

/// A name and a value.
#[derive(Serialize, JsonSchema)]
pub(super) struct Pair<'r> {
    pub(super) name: &'r str,
    pub(super) value: &'r str,
}

impl<'r> Pair<'r> {
    /// One for each pair.
    pub(super) fn all(pairs: &'r [(String, String)]) -> Vec<Self> {
        pairs.iter().map(|(name, value)| Self { name, value }).collect()
    }
}

/// A port.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Number<'r> {
    /// Its number.
    Number(i64),
    /// Its name.
    Name(&'r str),
}

impl<'r> Number<'r> {
    pub(super) fn of(port: &'r Port) -> Self {
        match port {
            Port::Number(number) => Self::Number(*number),
            Port::Name(name) => Self::Name(name),
        }
    }
}

/// `Kind/namespace/name`, without the namespace for a cluster-scoped object.
pub(super) fn reference(object_ref: &ObjectRef) -> String {
    match object_ref.namespace.as_str() {
        "" => format!("{}/{}", object_ref.kind, object_ref.name),
        namespace => format!("{}/{namespace}/{}", object_ref.kind, object_ref.name),
    }
}
