//! `gateway.networking.k8s.io` GatewayClass.

use serde::Deserialize;

use super::reference::TargetRef;
use super::{Metadata, Present, Text, null_is_default, text_or_none};
use crate::kinds::shape::maps_only;

/// The annotation that makes a GatewayClass the default, the twin of IngressClass's own.
pub const DEFAULT_ANNOTATION: &str = "gatewayclass.portcullis.dev/is-default-class";
/// The annotation in which a GatewayClass lists the routabilities that it offers, in order, separated by commas (GEP-1651).
pub const ROUTABILITIES_ANNOTATION: &str = "portcullis.dev/routabilities";
/// The annotation in which a GatewayClass says whether a Gateway's routability may change (`Allowed`); refused where it is absent.
pub const ROUTABILITY_CHANGE_ANNOTATION: &str = "portcullis.dev/routability-change";

/// The annotation in which a GatewayClass says that its Gateways run inside the cluster (`true`), so that none is reached from beside it.
pub const IN_CLUSTER_ANNOTATION: &str = "portcullis.dev/in-cluster";

/// A GatewayClass under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct GatewayClass<'a> {
    /// Name, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// What is asked for.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: GatewayClassSpec<'a>,
}

impl GatewayClass<'_> {
    /// Whether one of the annotations `keys` marks it as the default.
    pub fn is_default(&self, keys: &[impl AsRef<str>]) -> bool {
        let says_so = |key: &str| self.metadata.annotations.get(key).is_some_and(|value| &**value == "true");
        says_so(DEFAULT_ANNOTATION) || keys.iter().any(|key| says_so(key.as_ref()))
    }

    /// The routabilities that it offers, in order, as written; `None` where it does not say.
    pub fn routabilities(&self) -> Option<impl Iterator<Item = &str>> {
        let list = self.metadata.annotations.get(ROUTABILITIES_ANNOTATION)?;
        Some(list.split(',').map(str::trim).filter(|entry| !entry.is_empty()))
    }

    /// Whether it says that its Gateways run inside the cluster.
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
    /// Words for people.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub description: Option<Text<'a>>,
    /// The name of `controllerName` before v1.
    pub controller: Present,
}

maps_only!(GatewayClass, GatewayClassSpec);
