//! `projectcontour.io` HTTPProxy: a root that owns a host, or a part that roots include under conditions.

use serde::Deserialize;

use super::ingress_route::DEFAULT_CLASS;
pub use super::proxy_action::{
    DirectResponsePolicy, HeaderSetting, HeadersPolicy, PathRewritePolicy, RedirectPolicy, ReplacePrefix,
};
pub use super::proxy_condition::{HeaderCondition, MatchCondition, QueryCondition};
use super::{Metadata, Present, Text, integer_or_none, null_is_default, present_names, text_or_empty, text_or_none};
use crate::kinds::shape::maps_only;

/// The annotations that name the class. Contour reads the first one that is present. If it is empty, the field counts.
const CLASS_ANNOTATIONS: [&str; 2] = ["projectcontour.io/ingress.class", "kubernetes.io/ingress.class"];

/// An HTTPProxy under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct HttpProxy<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: HttpProxySpec<'a>,
}

impl HttpProxy<'_> {
    /// The class that serves it; `None` for the default class.
    pub fn class(&self) -> Option<&str> {
        self.named_class().filter(|class| *class != DEFAULT_CLASS)
    }

    /// Whether it names a class, including the default class.
    pub fn names_class(&self) -> bool {
        self.named_class().is_some()
    }

    fn named_class(&self) -> Option<&str> {
        let annotations = &self.metadata.annotations;
        let annotated = CLASS_ANNOTATIONS.iter().find_map(|key| annotations.get(key));
        let is_named = |class: &&str| !class.is_empty();
        let annotated = annotated.map(|class| &**class).filter(is_named);
        annotated.or(self.spec.ingress_class_name.as_deref().filter(is_named))
    }
}

/// `spec` of an HTTPProxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct HttpProxySpec<'a> {
    /// The class that serves it.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub ingress_class_name: Option<Text<'a>>,
    /// The host. An object with this field is a root.
    #[serde(borrow)]
    pub virtualhost: Option<ProxyVirtualHost<'a>>,
    /// The routes.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub routes: Vec<ProxyRoute<'a>>,
    /// Objects whose routes are added, under conditions.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub includes: Vec<Include<'a>>,
    /// The target of whole connections.
    #[serde(borrow)]
    pub tcpproxy: Option<Box<ProxyTcp<'a>>>,
}

/// `spec.virtualhost` of an HTTPProxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct ProxyVirtualHost<'a> {
    /// The host, which may be a wildcard of one label.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub fqdn: Text<'a>,
    /// The TLS configuration; absent for plain HTTP.
    #[serde(borrow)]
    pub tls: Option<ProxyTls<'a>>,
    /// Whether requests are authorized by a service.
    pub authorization: Present,
    /// Whether there are rules for requests of other origins.
    pub cors_policy: Present,
    /// Whether only some addresses are allowed.
    pub ip_allow_policy: Present,
    /// Whether some addresses are denied.
    pub ip_deny_policy: Present,
    /// Whether JSON Web Tokens are verified.
    pub jwt_providers: Present,
    /// Whether requests are limited.
    pub rate_limit_policy: Present,
}

impl ProxyVirtualHost<'_> {
    /// The names of the policies that it has, without those whose content is read.
    pub fn policies(&self) -> impl Iterator<Item = &'static str> {
        present_names([
            ("authorization", self.authorization),
            ("corsPolicy", self.cors_policy),
            ("ipAllowPolicy", self.ip_allow_policy),
            ("ipDenyPolicy", self.ip_deny_policy),
            ("jwtProviders", self.jwt_providers),
            ("rateLimitPolicy", self.rate_limit_policy),
            ("tls.clientValidation", self.tls.as_ref().map_or(Present(false), |tls| tls.client_validation)),
        ])
    }
}

/// `spec.virtualhost.tls` of an HTTPProxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct ProxyTls<'a> {
    /// The Secret with certificate and key, or `namespace/name` for a delegated one.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub secret_name: Option<Text<'a>>,
    /// Whether TLS is passed through to the services of `tcpproxy`.
    #[serde(deserialize_with = "null_is_default")]
    pub passthrough: bool,
    /// The minimum TLS version.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub minimum_protocol_version: Option<Text<'a>>,
    /// The maximum TLS version.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub maximum_protocol_version: Option<Text<'a>>,
    /// Whether clients that send no known server name get the default certificate.
    #[serde(deserialize_with = "null_is_default")]
    pub enable_fallback_certificate: bool,
    /// Whether the certificates of clients are verified.
    pub client_validation: Present,
}

/// The TLS versions that Contour supports for HTTPProxies, the oldest first.
pub const PROXY_TLS_VERSIONS: [&str; 2] = ["1.2", "1.3"];

impl ProxyTls<'_> {
    /// The minimum version. An invalid value counts as absent.
    pub fn oldest_version(&self) -> &str {
        spoken(&self.minimum_protocol_version).unwrap_or(PROXY_TLS_VERSIONS[0])
    }

    /// The maximum version. An invalid value counts as absent.
    pub fn newest_version(&self) -> &str {
        spoken(&self.maximum_protocol_version).unwrap_or(PROXY_TLS_VERSIONS[1])
    }
}

fn spoken<'v>(version: &'v Option<Text<'_>>) -> Option<&'v str> {
    version.as_deref().filter(|version| PROXY_TLS_VERSIONS.contains(version))
}

/// One of `spec.routes` of an HTTPProxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct ProxyRoute<'a> {
    /// The conditions, all of which a request must meet.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub conditions: Vec<MatchCondition<'a>>,
    /// The Services that serve the requests.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub services: Vec<ProxyService<'a>>,
    /// The redirect with which it answers instead.
    #[serde(borrow)]
    pub request_redirect_policy: Option<RedirectPolicy<'a>>,
    /// The fixed response with which it answers instead.
    pub direct_response_policy: Option<DirectResponsePolicy>,
    /// The rewrite of the path.
    #[serde(borrow)]
    pub path_rewrite_policy: Option<PathRewritePolicy<'a>>,
    /// Changes to the headers of the request.
    #[serde(borrow)]
    pub request_headers_policy: Option<Box<HeadersPolicy<'a>>>,
    /// Changes to the headers of the response.
    #[serde(borrow)]
    pub response_headers_policy: Option<Box<HeadersPolicy<'a>>>,
    /// Whether requests are authorized in a way of their own.
    pub auth_policy: Present,
    /// Whether cookies are rewritten.
    pub cookie_rewrite_policies: Present,
    /// Whether the proxy follows redirects of the Services.
    pub internal_redirect_policy: Present,
    /// Whether only some addresses are allowed.
    pub ip_allow_policy: Present,
    /// Whether some addresses are denied.
    pub ip_deny_policy: Present,
    /// Whether JSON Web Tokens are verified.
    pub jwt_verification_policy: Present,
    /// Whether it has a strategy of load balancing.
    pub load_balancer_policy: Present,
    /// Whether requests are limited.
    pub rate_limit_policy: Present,
    /// Whether requests are retried.
    pub retry_policy: Present,
    /// Whether it has timeouts.
    pub timeout_policy: Present,
    /// Whether plain HTTP is served although the host has TLS.
    #[serde(deserialize_with = "null_is_default")]
    pub permit_insecure: bool,
}

impl ProxyRoute<'_> {
    /// The names of the policies that it has, without those whose content is read.
    pub fn policies(&self) -> impl Iterator<Item = &'static str> {
        present_names([
            ("authPolicy", self.auth_policy),
            ("cookieRewritePolicies", self.cookie_rewrite_policies),
            ("internalRedirectPolicy", self.internal_redirect_policy),
            ("ipAllowPolicy", self.ip_allow_policy),
            ("ipDenyPolicy", self.ip_deny_policy),
            ("jwtVerificationPolicy", self.jwt_verification_policy),
            ("loadBalancerPolicy", self.load_balancer_policy),
            ("rateLimitPolicy", self.rate_limit_policy),
            ("retryPolicy", self.retry_policy),
            ("timeoutPolicy", self.timeout_policy),
        ])
    }
}

/// What an include of one HTTPProxy by another passes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Traffic {
    /// Requests, under the conditions of an include.
    Requests,
    /// Whole connections.
    Connections,
}

/// One of `spec.includes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct Include<'a> {
    /// The name of the included HTTPProxy.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// The namespace; absent or empty for the object's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub namespace: Option<Text<'a>>,
    /// The conditions, all of which a request must meet in addition to those of the included routes.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub conditions: Vec<MatchCondition<'a>>,
}

impl Include<'_> {
    /// The namespace; if none is written, `own`, the namespace of the referring object.
    pub fn namespace_from<'n>(&'n self, own: &'n str) -> &'n str {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(own)
    }
}

/// A Service in the object's own namespace, with its share of requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct ProxyService<'a> {
    /// Its name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// Its port.
    #[serde(deserialize_with = "integer_or_none")]
    pub port: Option<i64>,
    /// The share of requests among the services of the route.
    #[serde(deserialize_with = "integer_or_none")]
    pub weight: Option<i64>,
    /// Whether it only receives copies of the requests.
    #[serde(deserialize_with = "null_is_default")]
    pub mirror: bool,
    /// Whether the headers of its requests are changed.
    pub request_headers_policy: Present,
    /// Whether the headers of its responses are changed.
    pub response_headers_policy: Present,
    /// Whether its cookies are rewritten.
    pub cookie_rewrite_policies: Present,
    /// Whether the protocol is not that of its port.
    pub protocol: Present,
    /// Whether its certificate is verified.
    pub validation: Present,
}

impl ProxyService<'_> {
    /// The names of the policies that it has, without those whose content is read.
    pub fn policies(&self) -> impl Iterator<Item = &'static str> {
        present_names([
            ("cookieRewritePolicies", self.cookie_rewrite_policies),
            ("protocol", self.protocol),
            ("requestHeadersPolicy", self.request_headers_policy),
            ("responseHeadersPolicy", self.response_headers_policy),
            ("validation", self.validation),
        ])
    }
}

/// `spec.tcpproxy` of an HTTPProxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct ProxyTcp<'a> {
    /// The Services that accept the connections.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub services: Vec<ProxyService<'a>>,
    /// The HTTPProxy that is included instead.
    #[serde(borrow)]
    pub include: Option<TcpInclude<'a>>,
    /// A misspelling of `include` that Contour also reads.
    #[serde(borrow)]
    pub includes: Option<TcpInclude<'a>>,
}

impl<'a> ProxyTcp<'a> {
    /// The HTTPProxy that is included instead, with the name of its field.
    pub fn include(&self) -> Option<(&'static str, &TcpInclude<'a>)> {
        let typo = self.includes.as_ref().map(|include| ("includes", include));
        self.include.as_ref().map(|include| ("include", include)).or(typo)
    }
}

/// `spec.tcpproxy.include`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct TcpInclude<'a> {
    /// The name of the HTTPProxy.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// The namespace; absent or empty for the object's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub namespace: Option<Text<'a>>,
}

impl TcpInclude<'_> {
    /// The namespace; if none is written, `own`, the namespace of the referring object.
    pub fn namespace_from<'n>(&'n self, own: &'n str) -> &'n str {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(own)
    }
}

maps_only!(
    HttpProxy,
    HttpProxySpec,
    ProxyVirtualHost,
    ProxyTls,
    ProxyRoute,
    Include,
    ProxyService,
    ProxyTcp,
    TcpInclude
);
