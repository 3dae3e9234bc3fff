//! What only a manifest can show: fields that its kind does not have, and values that the kind's schema refuses. An API server drops the
//! first and refuses the second before webhooks are asked; the view types skip or allow what nobody judges, so they cannot tell.

mod node;
mod table;
#[cfg(test)]
mod tests;
mod walk;

use std::sync::OnceLock;

use k8s_openapi::api::networking::v1::{Ingress, IngressClass};
use schemars::schema_for;
use serde_json::Value;

use self::node::Node;
use super::Kind;
use crate::field::FieldPath;

/// The CRDs that are ours, as they are installed.
const INGRESS_ROUTES: &str = include_str!("../../../../manifests/crds/ingressroutes.yaml");
const CERTIFICATE_DELEGATIONS: &str = include_str!("../../../../manifests/crds/tlscertificatedelegations.yaml");

/// A field that the kind does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownField {
    /// Its address.
    pub at: FieldPath,
    /// Its name.
    pub name: String,
    /// The field of the same object that was likely meant.
    pub like: Option<String>,
}

/// A value, or the lack of one, that the schema of the kind refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    /// Where.
    pub at: FieldPath,
    /// What is wrong.
    pub fault: SchemaError,
}

/// What a schema refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaError {
    /// A field of this name is required.
    Missing(String),
    /// The value is of another type.
    Mistyped {
        /// What it must be.
        expected: &'static str,
        /// What it is.
        written: &'static str,
    },
    /// The value is empty and must not be.
    Empty,
    /// The value is none of those that are allowed.
    NotAllowed {
        /// The value.
        value: String,
        /// What is allowed.
        allowed: String,
    },
}

/// What a manifest has that an API server would have dropped or refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestErrors {
    /// `metadata` as written.
    pub metadata: Value,
    /// The fields that its kind does not have, level by level by name.
    pub unknown: Vec<UnknownField>,
    /// What the schema of its kind refuses, in the order of the document.
    pub violations: Vec<Violation>,
}

impl ManifestErrors {
    /// Those of `json`, an object of `kind`; none for kinds that are not judged, and for what is not JSON.
    pub fn of(kind: Kind, json: &str) -> Self {
        let (Some(schema), Ok(mut object)) = (schema(kind), serde_json::from_str::<Value>(json)) else {
            return Self::default();
        };
        let mut faults = Self::default();
        walk::walk(schema, &object, &FieldPath::default(), &mut faults);
        faults.metadata = object.get_mut("metadata").map(Value::take).unwrap_or_default();
        faults
    }
}

/// The schema of a judged kind, made when it is first asked for.
fn schema(kind: Kind) -> Option<&'static Node> {
    static SCHEMAS: [OnceLock<Option<Node>>; Kind::ALL.len()] = [const { OnceLock::new() }; Kind::ALL.len()];
    let make = || match kind {
        Kind::Ingress => Some(Node::of_schema(&schema_for!(Ingress).to_value())),
        Kind::IngressClass => Some(Node::of_schema(&schema_for!(IngressClass).to_value())),
        Kind::IngressRoute => Some(of_crd(INGRESS_ROUTES)),
        Kind::TlsCertificateDelegation => Some(of_crd(CERTIFICATE_DELEGATIONS)),
        _ => table::of_kind(kind),
    };
    SCHEMAS[kind as usize].get_or_init(make).as_ref()
}

/// The schema in the CRD of a single version; one of a CRD that is none knows no field, and so tells of none.
fn of_crd(crd: &str) -> Node {
    let crd: Value = serde_saphyr::from_str(crd).unwrap_or_default();
    let schema = crd.pointer("/spec/versions/0/schema/openAPIV3Schema").cloned().unwrap_or_default();
    Node::of_schema(&schema).with_metadata()
}
