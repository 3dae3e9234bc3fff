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
    /// What is asked for.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: GrpcRouteSpec<'a>,
}

/// `spec` of a GRPCRoute.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct GrpcRouteSpec<'a> {
    /// What it attaches to.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub parent_refs: Vec<ParentRef<'a>>,
    /// The hosts that it answers; none for those of its listeners.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub hostnames: Vec<Text<'a>>,
    /// What it does with which requests.
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
    /// The requests that it is for; any of them, and none for all.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub matches: Vec<GrpcMatch<'a>>,
    /// What is done to them.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub filters: Vec<Filter<'a>>,
    /// Who answers.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub backend_refs: Vec<BackendRef<'a>>,
    /// How a client stays with a backend.
    #[serde(borrow)]
    pub session_persistence: Option<Box<SessionPersistence<'a>>>,
}

/// One of `matches`: all that it says must hold.
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
    /// The type that is meant.
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("Exact")
    }
}

maps_only!(GrpcRoute, GrpcRouteSpec, GrpcRule, GrpcMatch, MethodMatch);
