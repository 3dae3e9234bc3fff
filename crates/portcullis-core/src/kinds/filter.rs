//! Filters, which are shared by HTTPRoute and GRPCRoute (a GRPCRoute has fewer of them), and backend references. Each
//! may contain the other.

use serde::{Deserialize, Deserializer};

use super::extension;
use super::reference::TargetRef;
use super::{Present, Text, integer_or_none, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::{MapsOnly, maps_only};

/// One of `filters`. `type` selects one of the other fields, and the rest should be absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct Filter<'a> {
    /// The type of the filter, as written.
    #[serde(borrow, rename = "type", deserialize_with = "text_or_empty")]
    pub kind: Text<'a>,
    /// Changes to the headers of the request.
    #[serde(borrow)]
    pub request_header_modifier: Option<Box<HeaderModifier<'a>>>,
    /// Changes to the headers of the response.
    #[serde(borrow)]
    pub response_header_modifier: Option<Box<HeaderModifier<'a>>>,
    /// The backend that gets a copy of the request.
    #[serde(borrow)]
    pub request_mirror: Option<Box<RequestMirror<'a>>>,
    /// The redirect that the client gets.
    #[serde(borrow)]
    pub request_redirect: Option<Box<RequestRedirect<'a>>>,
    /// The rewrite of the request.
    #[serde(borrow)]
    pub url_rewrite: Option<Box<UrlRewrite<'a>>>,
    /// Which cross-origin requests are allowed.
    #[serde(borrow)]
    pub cors: Option<Box<Cors<'a>>>,
    /// The service that authorizes the request.
    #[serde(borrow)]
    pub external_auth: Option<Box<ExternalAuth<'a>>>,
    /// A filter of the implementation.
    #[serde(borrow)]
    pub extension_ref: Option<Box<TargetRef<'a>>>,
}

impl<'a> Filter<'a> {
    /// The redirect, if that is the type of the filter.
    pub fn redirect(&self) -> Option<&RequestRedirect<'a>> {
        self.request_redirect.as_deref().filter(|_| &*self.kind == "RequestRedirect")
    }

    /// The rewrite, if that is the type of the filter.
    pub fn rewrite(&self) -> Option<&UrlRewrite<'a>> {
        self.url_rewrite.as_deref().filter(|_| &*self.kind == "URLRewrite")
    }

    /// The changes to the headers of the request, if that is the type of the filter.
    pub fn request_headers(&self) -> Option<&HeaderModifier<'a>> {
        self.request_header_modifier.as_deref().filter(|_| &*self.kind == "RequestHeaderModifier")
    }

    /// The changes to the headers of the response, if that is the type of the filter.
    pub fn response_headers(&self) -> Option<&HeaderModifier<'a>> {
        self.response_header_modifier.as_deref().filter(|_| &*self.kind == "ResponseHeaderModifier")
    }

    /// The mirror, if that is the type of the filter.
    pub fn mirror(&self) -> Option<&RequestMirror<'a>> {
        self.request_mirror.as_deref().filter(|_| &*self.kind == "RequestMirror")
    }

    /// The settings for cross-origin requests, if that is the type of the filter.
    pub fn cors(&self) -> Option<&Cors<'a>> {
        self.cors.as_deref().filter(|_| &*self.kind == "CORS")
    }

    /// Each filter type, its field, and whether that field is present.
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
    /// Headers whose values are replaced.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub set: Vec<HeaderValue<'a>>,
    /// Headers that get an additional value.
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
    /// The name, which is case-insensitive.
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
    /// The backend that gets the copy.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub backend_ref: BackendRef<'a>,
    /// The percentage of requests that are copied; mutually exclusive with `fraction`.
    #[serde(deserialize_with = "integer_or_none")]
    pub percent: Option<i64>,
    /// The fraction of requests that are copied.
    pub fraction: Option<Fraction>,
}

/// A fraction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct Fraction {
    /// The numerator.
    #[serde(deserialize_with = "integer_or_none")]
    pub numerator: Option<i64>,
    /// The denominator; absent for 100.
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
    /// The status code of the response; absent for 302.
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

/// `path` of a redirect or a rewrite. `type` selects one of the other fields.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct PathModifier<'a> {
    /// `ReplaceFullPath` or `ReplacePrefixMatch`, as written.
    #[serde(borrow, rename = "type", deserialize_with = "text_or_empty")]
    pub kind: Text<'a>,
    /// The whole new path.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub replace_full_path: Option<Text<'a>>,
    /// The replacement of the matched prefix.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub replace_prefix_match: Option<Text<'a>>,
}

/// `cors`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct Cors<'a> {
    /// The allowed origins; `*` for all.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub allow_origins: Vec<Text<'a>>,
    /// Whether requests may contain credentials.
    pub allow_credentials: Option<bool>,
    /// The allowed methods.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub allow_methods: Vec<Text<'a>>,
    /// The allowed request headers.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub allow_headers: Vec<Text<'a>>,
    /// The response headers that are exposed to scripts.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub expose_headers: Vec<Text<'a>>,
    /// How long the result may be cached, in seconds.
    #[serde(deserialize_with = "integer_or_none")]
    pub max_age: Option<i64>,
}

/// `externalAuth`. `protocol` selects `grpc` or `http`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct ExternalAuth<'a> {
    /// `HTTP` or `GRPC`, as written.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub protocol: Text<'a>,
    /// The authorization service.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub backend_ref: BackendRef<'a>,
    /// The settings for gRPC.
    pub grpc: Present,
    /// The settings for HTTP.
    #[serde(borrow)]
    pub http: Option<HttpAuth<'a>>,
}

/// `externalAuth.http`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct HttpAuth<'a> {
    /// The prefix of the path with which the service is called.
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
    /// The share of requests, relative to the weights of the other backends; absent for 1.
    #[serde(deserialize_with = "integer_or_none")]
    pub weight: Option<i64>,
    /// The filters for requests to this backend; only for HTTPRoute and GRPCRoute.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub filters: Vec<Filter<'a>>,
}

impl BackendRef<'_> {
    /// The group, or its default.
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or_default()
    }

    /// The kind, or its default.
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("Service")
    }

    /// Whether both have exactly the same target, without applying defaults.
    pub fn is_same_target(&self, other: &Self) -> bool {
        (&self.name, self.port, &self.namespace, &self.kind, &self.group)
            == (&other.name, other.port, &other.namespace, &other.kind, &other.group)
    }

    /// Whether it references a Service.
    pub fn is_service(&self) -> bool {
        (self.group(), self.kind()) == ("", "Service")
    }

    /// Whether its kind can serve requests; `None` if only an implementation knows. In the groups of Kubernetes and of
    /// the Gateway API, only a Service can, and a route to which an implementation delegates may.
    pub fn can_answer(&self) -> Option<bool> {
        if self.is_service() {
            return Some(true);
        }
        let is_known = !extension::is_of_implementation(self.group()) && !self.is_delegation();
        is_known.then_some(false)
    }

    /// Whether it references a route to which some implementations delegate. Such a reference needs no ReferenceGrant.
    pub fn is_delegation(&self) -> bool {
        extension::is_delegation(self.group(), self.kind())
    }

    /// The namespace; if none is written, `own`, the namespace of the referring object.
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
