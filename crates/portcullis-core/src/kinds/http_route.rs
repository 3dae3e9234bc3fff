//! `gateway.networking.k8s.io` HTTPRoute.

use serde::Deserialize;

use super::filter::BackendRef;
use super::filter::Filter;
use super::reference::ParentRef;
use super::{
    Metadata, OptionalList, Present, Text, integer_or_none, integers, null_is_default, text_or_empty, text_or_none,
};
use crate::kinds::shape::maps_only;

/// An HTTPRoute under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct HttpRoute<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: HttpRouteSpec<'a>,
}

/// `spec` of an HTTPRoute.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct HttpRouteSpec<'a> {
    /// The parents to which it attaches.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub parent_refs: Vec<ParentRef<'a>>,
    /// The hosts that it serves; empty for those of its listeners.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub hostnames: Vec<Text<'a>>,
    /// The rules; absent for a single rule that matches every request.
    #[serde(borrow)]
    pub rules: Option<Vec<HttpRule<'a>>>,
    /// `All` or `None`: whether it attaches to default Gateways (GEP-3793).
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub use_default_gateways: Option<Text<'a>>,
    /// The field that selected the parents before v1alpha2.
    pub gateways: Present,
    /// A name of `parentRefs` in early drafts (GEP-724).
    pub attach_to: Present,
}

impl<'a> HttpRouteSpec<'a> {
    /// The rules as written.
    pub fn rules(&self) -> &[HttpRule<'a>] {
        self.rules.as_deref().unwrap_or_default()
    }
}

/// One of `spec.rules`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct HttpRule<'a> {
    /// Its name.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub name: Option<Text<'a>>,
    /// The matches, of which a request must meet at least one; empty for all requests.
    #[serde(borrow)]
    pub matches: OptionalList<HttpMatch<'a>>,
    /// The filters for the matching requests.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub filters: Vec<Filter<'a>>,
    /// The backends.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub backend_refs: Vec<BackendRef<'a>>,
    /// The timeouts.
    #[serde(borrow)]
    pub timeouts: Option<Timeouts<'a>>,
    /// The retry policy.
    #[serde(borrow)]
    pub retry: Option<Box<Retry<'a>>>,
    /// How the requests of a client are kept on one backend.
    #[serde(borrow)]
    pub session_persistence: Option<Box<SessionPersistence<'a>>>,
    /// The name of `backendRefs` before v1alpha2.
    pub forward_to: Present,
}

/// One of `matches`. A request must meet all of its conditions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct HttpMatch<'a> {
    /// The path; absent for every path.
    #[serde(borrow)]
    pub path: Option<PathMatch<'a>>,
    /// The headers.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub headers: Vec<NameValueMatch<'a>>,
    /// The query parameters.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub query_params: Vec<NameValueMatch<'a>>,
    /// The method.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub method: Option<Text<'a>>,
}

/// `path` of a match.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct PathMatch<'a> {
    /// `Exact`, `PathPrefix` or `RegularExpression`; absent for `PathPrefix`.
    #[serde(borrow, rename = "type", deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// The path; absent for `/`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub value: Option<Text<'a>>,
}

impl PathMatch<'_> {
    /// The type, or its default.
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("PathPrefix")
    }

    /// The path, or its default.
    pub fn value(&self) -> &str {
        self.value.as_deref().unwrap_or("/")
    }
}

/// A required value of a header or query parameter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct NameValueMatch<'a> {
    /// `Exact` or `RegularExpression`; absent for `Exact`.
    #[serde(borrow, rename = "type", deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// The name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// The value.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub value: Text<'a>,
}

impl NameValueMatch<'_> {
    /// The type, or its default.
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("Exact")
    }
}

/// `timeouts` of a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct Timeouts<'a> {
    /// The timeout of the whole request, as a Gateway API duration (GEP-2257).
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub request: Option<Text<'a>>,
    /// The timeout of one attempt at a backend.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub backend_request: Option<Text<'a>>,
}

/// `retry` of a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct Retry<'a> {
    /// The status codes after which a request is retried.
    #[serde(deserialize_with = "integers")]
    pub codes: Vec<i64>,
    /// The number of retries.
    #[serde(deserialize_with = "integer_or_none")]
    pub attempts: Option<i64>,
    /// The wait before a retry, as a Gateway API duration.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub backoff: Option<Text<'a>>,
}

/// `sessionPersistence` of a rule.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct SessionPersistence<'a> {
    /// The name of the cookie or header.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub session_name: Option<Text<'a>>,
    /// The lifetime of a session, as a Gateway API duration.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub absolute_timeout: Option<Text<'a>>,
    /// The lifetime of a session without requests; only in bundles before 1.6.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub idle_timeout: Option<Text<'a>>,
    /// `Cookie` or `Header`; absent for `Cookie`.
    #[serde(borrow, rename = "type", deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// The settings of the cookie.
    #[serde(borrow)]
    pub cookie_config: Option<CookieConfig<'a>>,
}

/// `sessionPersistence.cookieConfig`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct CookieConfig<'a> {
    /// `Permanent` or `Session`; absent for `Session`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub lifetime_type: Option<Text<'a>>,
}

maps_only!(
    HttpRoute,
    HttpRouteSpec,
    HttpRule,
    HttpMatch,
    PathMatch,
    NameValueMatch,
    Timeouts,
    Retry,
    SessionPersistence,
    CookieConfig
);
