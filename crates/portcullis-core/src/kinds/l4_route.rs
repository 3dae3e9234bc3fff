//! `gateway.networking.k8s.io` TLSRoute, TCPRoute and UDPRoute: backends without matches. Only a TLSRoute has hosts
//! (SNI).

use serde::Deserialize;

use super::filter::BackendRef;
use super::reference::ParentRef;
use super::{Metadata, Present, Text, null_is_default, text_or_none};
use crate::kinds::shape::maps_only;

/// A TLSRoute, TCPRoute or UDPRoute under review. Its [`Object`](super::Object) says which of them it is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct L4Route<'a> {
    /// `apiVersion`: group and version.
    #[serde(borrow, rename = "apiVersion", deserialize_with = "text_or_none")]
    pub api_version: Option<Text<'a>>,
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: L4RouteSpec<'a>,
}

/// `spec` of a TLSRoute, TCPRoute or UDPRoute.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct L4RouteSpec<'a> {
    /// The parents to which it attaches.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub parent_refs: Vec<ParentRef<'a>>,
    /// The server names that clients send in TLS (SNI); only for TLSRoute.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub hostnames: Vec<Text<'a>>,
    /// The rules.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub rules: Vec<L4Rule<'a>>,
    /// `All` or `None`: whether it attaches to default Gateways (GEP-3793).
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub use_default_gateways: Option<Text<'a>>,
    /// The field that selected the parents before v1alpha2.
    pub gateways: Present,
    /// A name of `parentRefs` in early drafts (GEP-724).
    pub attach_to: Present,
}

/// One of `spec.rules`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct L4Rule<'a> {
    /// Its name.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub name: Option<Text<'a>>,
    /// The backends.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub backend_refs: Vec<BackendRef<'a>>,
    /// The name of `backendRefs` before v1alpha2.
    pub forward_to: Present,
}

impl L4Route<'_> {
    /// Whether it is written in `v1alpha2`, the only version that allows several rules and a TLSRoute without hosts.
    pub fn is_v1alpha2(&self) -> bool {
        self.api_version.as_deref().is_some_and(|version| version.ends_with("/v1alpha2"))
    }
}

maps_only!(L4Route, L4RouteSpec, L4Rule);
