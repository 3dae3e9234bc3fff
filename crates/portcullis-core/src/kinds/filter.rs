//! Filters, which HTTPRoute and GRPCRoute hold alike (a GRPCRoute has fewer of them), and backend references: each may hold the other.

use serde::{Deserialize, Deserializer};

use super::extension;
use super::reference::TargetRef;
use super::{Present, Text, integer_or_none, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::{MapsOnly, maps_only};

/// One of `filters`. `type` says which of the other fields is meant; the rest should be absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct Filter<'a> {
    /// Which filter it is, as written.
    #[serde(borrow, rename = "type", deserialize_with = "text_or_empty")]
    pub kind: Text<'a>,
    /// What is done to the headers of the request.
    #[serde(borrow)]
    pub request_header_modifier: Option<Box<HeaderModifier<'a>>>,
    /// What is done to the headers of the response.
    #[serde(borrow)]
    pub response_header_modifier: Option<Box<HeaderModifier<'a>>>,
    /// Where a copy of the request goes.
    #[serde(borrow)]
    pub request_mirror: Option<Box<RequestMirror<'a>>>,
    /// Where the client is sent.
    #[serde(borrow)]
    pub request_redirect: Option<Box<RequestRedirect<'a>>>,
    /// What the request is rewritten to.
    #[serde(borrow)]
    pub url_rewrite: Option<Box<UrlRewrite<'a>>>,
    /// Which pages of other origins may ask.
    #[serde(borrow)]
    pub cors: Option<Box<Cors<'a>>>,
    /// Who decides about the request.
    #[serde(borrow)]
    pub external_auth: Option<Box<ExternalAuth<'a>>>,
    /// A filter of the implementation.
    #[serde(borrow)]
    pub extension_ref: Option<Box<TargetRef<'a>>>,
}

impl Filter<'_> {
    /// Each type of filter, the field that belongs to it, and whether that field is there.
    pub fn fields(&self) -> [(&'static str, &'static str, bool); 8] {
        [
            ("RequestHeaderModifier", "requestHeaderModifier", self.request_header_modifier.is_some()),
            ("ResponseHeaderModifier", "responseHeaderModifier", self.response_header_modifier.is_some()),
            ("RequestMirror", "requestMirror", self.request_mirror.is_some()),
            ("RequestRedirect", "requestRedirect", self.request_redirect.is_some()),
            ("URLRewrite", "urlRewrite", self.url_rewrite.is_some()),
            ("CORS", "cors", self.cors.is_some()),
            ("ExternalAuth", "externalAuth", self.external_auth.is_some()),
            ("ExtensionRef", "extensionRef", self.extension_ref.is_some()),
        ]
    }
}

/// `requestHeaderModifier` or `responseHeaderModifier`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct HeaderModifier<'a> {
    /// Headers that replace those of the same name.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub set: Vec<HeaderValue<'a>>,
    /// Headers that are added.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub add: Vec<HeaderValue<'a>>,
    /// Names of headers that are removed.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub remove: Vec<Text<'a>>,
}

/// A header and its value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct HeaderValue<'a> {
    /// The name; upper and lower case are one.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// The value.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub value: Text<'a>,
}

/// `requestMirror`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct RequestMirror<'a> {
    /// Where the copy goes.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub backend_ref: BackendRef<'a>,
    /// How many of a hundred requests are copied; either this or `fraction`.
    #[serde(deserialize_with = "integer_or_none")]
    pub percent: Option<i64>,
    /// Which part of the requests is copied.
    pub fraction: Option<Fraction>,
}

/// A part of all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct Fraction {
    /// How many.
    #[serde(deserialize_with = "integer_or_none")]
    pub numerator: Option<i64>,
    /// Of how many; absent for 100.
    #[serde(deserialize_with = "integer_or_none")]
    pub denominator: Option<i64>,
}

impl<'de> Deserialize<'de> for Fraction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(MapsOnly(deserializer))
    }
}

/// `requestRedirect`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct RequestRedirect<'a> {
    /// `http` or `https`; absent for the request's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub scheme: Option<Text<'a>>,
    /// The host; absent for the request's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub hostname: Option<Text<'a>>,
    /// The path; absent for the request's own.
    #[serde(borrow)]
    pub path: Option<PathModifier<'a>>,
    /// The port.
    #[serde(deserialize_with = "integer_or_none")]
    pub port: Option<i64>,
    /// The status of the answer; absent for 302.
    #[serde(deserialize_with = "integer_or_none")]
    pub status_code: Option<i64>,
}

/// `urlRewrite`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct UrlRewrite<'a> {
    /// The host; absent for the request's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub hostname: Option<Text<'a>>,
    /// The path; absent for the request's own.
    #[serde(borrow)]
    pub path: Option<PathModifier<'a>>,
}

/// `path` of a redirect or a rewrite. `type` says which of the other fields is meant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct PathModifier<'a> {
    /// `ReplaceFullPath` or `ReplacePrefixMatch`, as written.
    #[serde(borrow, rename = "type", deserialize_with = "text_or_empty")]
    pub kind: Text<'a>,
    /// The whole new path.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub replace_full_path: Option<Text<'a>>,
    /// What stands for the matched prefix.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub replace_prefix_match: Option<Text<'a>>,
}

/// `cors`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct Cors<'a> {
    /// The origins whose pages may ask; `*` for all.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub allow_origins: Vec<Text<'a>>,
    /// Whether they may send credentials.
    pub allow_credentials: Option<bool>,
    /// The methods that they may use.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub allow_methods: Vec<Text<'a>>,
    /// The headers that they may send.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub allow_headers: Vec<Text<'a>>,
    /// The headers that they may read.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub expose_headers: Vec<Text<'a>>,
    /// For how many seconds the answer may be kept.
    #[serde(deserialize_with = "integer_or_none")]
    pub max_age: Option<i64>,
}

/// `externalAuth`. `protocol` says which of `grpc` and `http` is meant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct ExternalAuth<'a> {
    /// `HTTP` or `GRPC`, as written.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub protocol: Text<'a>,
    /// Who is asked.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub backend_ref: BackendRef<'a>,
    /// How it is asked in gRPC.
    pub grpc: Present,
    /// How it is asked in HTTP.
    #[serde(borrow)]
    pub http: Option<HttpAuth<'a>>,
}

/// `externalAuth.http`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct HttpAuth<'a> {
    /// What stands before the request's own path.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub path: Option<Text<'a>>,
}

/// One of `backendRefs`, or the backend of a filter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct BackendRef<'a> {
    /// The group; absent or empty for the core group.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub group: Option<Text<'a>>,
    /// The kind; absent for Service.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// The namespace; absent for the route's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub namespace: Option<Text<'a>>,
    /// The name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// The port; required for a Service.
    #[serde(deserialize_with = "integer_or_none")]
    pub port: Option<i64>,
    /// Its share of the requests, relative to the others' weights; absent for 1.
    #[serde(deserialize_with = "integer_or_none")]
    pub weight: Option<i64>,
    /// What is done to its share of the requests; of HTTPRoute and GRPCRoute.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub filters: Vec<Filter<'a>>,
}

impl BackendRef<'_> {
    /// The group that is meant.
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or_default()
    }

    /// The kind that is meant.
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("Service")
    }

    /// Whether both say the same of where they lead, letter by letter.
    pub fn is_same_target(&self, other: &Self) -> bool {
        (&self.name, self.port, &self.namespace, &self.kind, &self.group)
            == (&other.name, other.port, &other.namespace, &other.kind, &other.group)
    }

    /// Whether it names a Service.
    pub fn is_service(&self) -> bool {
        (self.group(), self.kind()) == ("", "Service")
    }

    /// Whether its kind can answer requests; `None` where only an implementation knows. Of the groups that Kubernetes itself serves, and of
    /// the Gateway API's own, nothing but a Service can, and a route to which an implementation delegates.
    pub fn can_answer(&self) -> Option<bool> {
        if self.is_service() {
            return Some(true);
        }
        let is_known = !extension::is_of_implementation(self.group()) && !self.is_delegation();
        is_known.then_some(false)
    }

    /// Whether it names a route that decides further, as some implementations have it. No ReferenceGrant is asked for such a one.
    pub fn is_delegation(&self) -> bool {
        extension::is_delegation(self.group(), self.kind())
    }

    /// The namespace that is meant by an object in `own`.
    pub fn namespace_from<'r>(&'r self, own: &'r str) -> &'r str {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(own)
    }
}

maps_only!(
    Filter,
    BackendRef,
    HeaderModifier,
    HeaderValue,
    RequestMirror,
    RequestRedirect,
    UrlRewrite,
    PathModifier,
    Cors,
    ExternalAuth,
    HttpAuth
);
