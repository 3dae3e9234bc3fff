//! `gateway.networking.k8s.io` GRPCRoute.

use serde::Deserialize;

use super::filter::BackendRef;
use super::filter::Filter;
use super::http_route::{NameValueMatch, SessionPersistence};
use super::reference::ParentRef;
use super::{Metadata, Text, null_is_default, text_or_none};
use crate::kinds::shape::maps_only;

/// A GRPCRoute under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct GrpcRoute<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: GrpcRouteSpec<'a>,
}

/// `spec` of a GRPCRoute.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct GrpcRouteSpec<'a> {
    /// The parents to which it attaches.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub parent_refs: Vec<ParentRef<'a>>,
    /// The hosts that it serves; empty for those of its listeners.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub hostnames: Vec<Text<'a>>,
    /// The rules.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub rules: Vec<GrpcRule<'a>>,
    /// `All` or `None`: whether it attaches to default Gateways (GEP-3793).
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub use_default_gateways: Option<Text<'a>>,
}

/// One of `spec.rules`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct GrpcRule<'a> {
    /// Its name.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub name: Option<Text<'a>>,
    /// The matches, of which a request must meet at least one; empty for all requests.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub matches: Vec<GrpcMatch<'a>>,
    /// The filters for the matching requests.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub filters: Vec<Filter<'a>>,
    /// The backends.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub backend_refs: Vec<BackendRef<'a>>,
    /// How the requests of a client are kept on one backend.
    #[serde(borrow)]
    pub session_persistence: Option<Box<SessionPersistence<'a>>>,
}

/// One of `matches`. A request must meet all of its conditions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct GrpcMatch<'a> {
    /// The service and method; absent for all.
    #[serde(borrow)]
    pub method: Option<MethodMatch<'a>>,
    /// The headers.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub headers: Vec<NameValueMatch<'a>>,
}

/// `method` of a match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct MethodMatch<'a> {
    /// `Exact` or `RegularExpression`; absent for `Exact`.
    #[serde(borrow, rename = "type", deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// The service, such as `com.example.Users`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub service: Option<Text<'a>>,
    /// The method, such as `Login`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub method: Option<Text<'a>>,
}

impl MethodMatch<'_> {
    /// The type, or its default.
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("Exact")
    }
}

maps_only!(GrpcRoute, GrpcRouteSpec, GrpcRule, GrpcMatch, MethodMatch);
