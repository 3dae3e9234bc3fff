//! `gateway.networking.k8s.io` GatewayClass.

use serde::Deserialize;

use super::reference::TargetRef;
use super::{Metadata, Present, Text, null_is_default, text_or_none};
use crate::kinds::shape::maps_only;

/// The annotation that makes a GatewayClass the default, analogous to that of IngressClass.
pub const DEFAULT_ANNOTATION: &str = "gatewayclass.portcullis.dev/is-default-class";
/// The annotation with the routabilities that a GatewayClass offers, in order, separated by commas (GEP-1651).
pub const ROUTABILITIES_ANNOTATION: &str = "portcullis.dev/routabilities";
/// The annotation that says whether the routability of a GatewayClass's Gateways may change (`Allowed`). Changes are
/// denied if it is absent.
pub const ROUTABILITY_CHANGE_ANNOTATION: &str = "portcullis.dev/routability-change";

/// The annotation that says that the Gateways of a GatewayClass run inside the cluster (`true`), so that they cannot
/// offer `Private`: the network of a cluster is not a private network outside of it (GEP-1651).
pub const IN_CLUSTER_ANNOTATION: &str = "portcullis.dev/in-cluster";

/// A GatewayClass under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct GatewayClass<'a> {
    /// Name, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: GatewayClassSpec<'a>,
    /// What its controller has reported.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub status: GatewayClassStatus<'a>,
}

impl GatewayClass<'_> {
    /// Whether the default annotation of Portcullis, or one of the additional `keys`, marks it as the default.
    pub fn is_default(&self, keys: &[impl AsRef<str>]) -> bool {
        let says_so = |key: &str| self.metadata.annotations.get(key).is_some_and(|value| &**value == "true");
        says_so(DEFAULT_ANNOTATION) || keys.iter().any(|key| says_so(key.as_ref()))
    }

    /// The routabilities that it offers, in order and as written: those of the annotation, or else those that its status lists.
    /// `None` if neither says so.
    pub fn routabilities(&self) -> Option<Vec<&str>> {
        match self.annotated_routabilities() {
            Some(annotated) => Some(annotated.collect()),
            None if self.status.routabilities.is_empty() => None,
            None => Some(self.status.routabilities.iter().map(|entry| &**entry).collect()),
        }
    }

    /// The routabilities of the annotation, in order and as written; `None` if it is absent.
    pub fn annotated_routabilities(&self) -> Option<impl Iterator<Item = &str>> {
        let list = self.metadata.annotations.get(ROUTABILITIES_ANNOTATION)?;
        Some(list.split(',').map(str::trim).filter(|entry| !entry.is_empty()))
    }

    /// Whether it refers to parameters of its controller.
    pub fn has_parameters(&self) -> bool {
        self.spec.parameters_ref.is_some()
    }

    /// Whether its Gateways run inside the cluster, according to its annotation.
    pub fn is_in_cluster(&self) -> bool {
        self.metadata.annotations.get(IN_CLUSTER_ANNOTATION).is_some_and(|value| &**value == "true")
    }
}

/// `spec` of a GatewayClass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct GatewayClassSpec<'a> {
    /// The controller, as `domain/path`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub controller_name: Option<Text<'a>>,
    /// Parameters of the controller.
    #[serde(borrow)]
    pub parameters_ref: Option<TargetRef<'a>>,
    /// A description for humans.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub description: Option<Text<'a>>,
    /// The name of `controllerName` before v1.
    pub controller: Present,
}

/// `status` of a GatewayClass.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct GatewayClassStatus<'a> {
    /// The supported routabilities, the default one first (GEP-1651). The CRDs of the Gateway API do not have the field.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub routabilities: Vec<Text<'a>>,
}

maps_only!(GatewayClass, GatewayClassSpec, GatewayClassStatus);
