//! Faults that only a manifest can have: fields that its kind does not have, and values that the kind's schema rejects.
//! An API server drops the former and rejects the latter before it calls webhooks. The view types skip or allow fields
//! that no check uses, so they cannot detect these faults.

mod node;
mod table;
#[cfg(test)]
mod tests;
mod walk;

use std::sync::OnceLock;

use serde_json::{Value, json};

use self::node::{ONE_OR_MANY, SchemaNode};
use super::Kind;
use super::retired::Retired;
use crate::field::FieldPath;

/// The CRDs of Portcullis, as they are installed. They are copies of those in `manifests`, since a package contains its folder only.
const INGRESS_ROUTES: &str = include_str!("schema/ingressroutes.yaml");
const CERTIFICATE_DELEGATIONS: &str = include_str!("schema/tlscertificatedelegations.yaml");
const HOST_CLAIMS: &str = include_str!("schema/hostclaims.yaml");

/// A field that the kind does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    /// Its address.
    pub at: FieldPath,
    /// Its name.
    pub name: String,
    /// The most similar field of the same object.
    pub like: Option<String>,
}

/// A value, or the absence of one, that the schema of the kind rejects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// The address.
    pub at: FieldPath,
    /// The fault.
    pub fault: SchemaError,
}

/// A fault that a schema rejects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaError {
    /// A field of this name is required.
    Missing(String),
    /// The value has the wrong type.
    Mistyped {
        /// The required type.
        expected: &'static str,
        /// The actual type.
        written: &'static str,
    },
    /// The value must not be empty.
    Empty,
    /// The value is not one of the allowed values.
    NotAllowed {
        /// The value.
        value: String,
        /// The allowed values.
        allowed: String,
    },
}

/// The parts of a manifest that an API server would have dropped or rejected.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestErrors {
    /// The version of the object, if API servers no longer serve it. Then the manifest has no other errors.
    pub retired: Option<(String, Retired)>,
    /// `metadata` as written.
    pub metadata: Value,
    /// The fields that its kind does not have, ordered by depth and then by name.
    pub unknown: Vec<UnknownField>,
    /// The violations of the schema of its kind, in document order.
    pub violations: Vec<Violation>,
    /// What the installed bundle of the Gateway API is called, if it is known, and the fields that it does not have, each with its
    /// name.
    pub missing: Option<(String, Vec<(FieldPath, &'static str)>)>,
}

impl ManifestErrors {
    /// Returns the errors of `json`, an object of `kind`; empty for kinds that are not validated, and for invalid JSON.
    pub fn of(kind: Kind, json: &str) -> Self {
        let (Some(schema), Ok(mut object)) = (schema(kind), serde_json::from_str::<Value>(json)) else {
            return Self::default();
        };
        let text = |field| object.get(field).and_then(Value::as_str).unwrap_or_default();
        if let Some(retired) = Retired::of(text("apiVersion"), text("kind")) {
            return Self { retired: Some((text("apiVersion").to_owned(), retired)), ..Self::default() };
        }
        let mut faults = Self::default();
        walk::walk(schema, &object, &FieldPath::default(), &mut faults);
        let metadata = object.get_mut("metadata").map(Value::take);
        faults.metadata = metadata.unwrap_or_else(|| Value::Object(serde_json::Map::new()));
        faults
    }
}

/// The schema of a validated kind, built on first use.
fn schema(kind: Kind) -> Option<&'static SchemaNode> {
    static SCHEMAS: [OnceLock<Option<SchemaNode>>; Kind::ALL.len()] = [const { OnceLock::new() }; Kind::ALL.len()];
    let make = || {
        let node = match kind {
            Kind::IngressRoute => of_ingress_route(of_crd(INGRESS_ROUTES)),
            Kind::TlsCertificateDelegation => SchemaNode::of_schema(&of_crd(CERTIFICATE_DELEGATIONS)),
            Kind::HostClaim => SchemaNode::of_schema(&of_crd(HOST_CLAIMS)),
            _ => table::of_kind(kind)?,
        };
        Some(node.with_metadata(table::of_metadata()?))
    };
    SCHEMAS[kind as usize].get_or_init(make).as_ref()
}

/// The schema in a CRD with a single version. An invalid CRD results in a schema without fields, which finds no faults.
fn of_crd(crd: &str) -> Value {
    let crd: Value = serde_saphyr::from_str(crd).unwrap_or_default();
    crd.pointer("/spec/versions/0/schema/openAPIV3Schema").cloned().unwrap_or_default()
}

/// The schema of an IngressRoute. Its CRD allows anything in `service`, which holds what `services` does.
fn of_ingress_route(mut crd: Value) -> SchemaNode {
    if let Some(route) = crd.pointer_mut("/properties/spec/properties/routes/items/properties") {
        route["service"] = json!({ONE_OR_MANY: route["services"]["items"]});
    }
    SchemaNode::of_schema(&crd)
}
