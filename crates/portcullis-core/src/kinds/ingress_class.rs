//! `networking.k8s.io/v1` IngressClass.

use serde::Deserialize;

use super::{Metadata, Text, null_is_default, shape::maps_only, text_or_empty, text_or_none};

maps_only!(IngressClass, IngressClassSpec, Parameters);

/// An IngressClass under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct IngressClass<'a> {
    /// Name, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The controller and its parameters.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: IngressClassSpec<'a>,
}

/// The annotation that makes a class the default. Only the exact text `true` counts.
pub const DEFAULT_ANNOTATION: &str = "ingressclass.kubernetes.io/is-default-class";

impl IngressClass<'_> {
    /// Whether an Ingress without a class gets this one.
    pub fn is_default(&self) -> bool {
        self.metadata.annotations.get(DEFAULT_ANNOTATION).is_some_and(|value| &**value == "true")
    }
}

/// `spec` of an IngressClass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct IngressClassSpec<'a> {
    /// The controller, a domain-prefixed path.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub controller: Text<'a>,
    /// Further settings of the controller.
    #[serde(borrow)]
    pub parameters: Option<Parameters<'a>>,
}

/// `spec.parameters`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self", expecting = "a map")]
pub struct Parameters<'a> {
    /// The API group; absent for the core group.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub api_group: Option<Text<'a>>,
    /// The kind.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub kind: Text<'a>,
    /// The name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// `Cluster` or `Namespace`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub scope: Option<Text<'a>>,
    /// The namespace, for scope `Namespace`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub namespace: Option<Text<'a>>,
}
