//! `projectcontour.io` HTTPProxy: a root that owns a host, or a part that roots include under conditions.

use serde::Deserialize;

use super::ingress_route::DEFAULT_CLASS;
pub use super::proxy_condition::{HeaderCondition, MatchCondition, QueryCondition};
use super::{Metadata, Present, Text, integer_or_none, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::maps_only;

/// The annotations that name the class. Contour reads the first that is there, and the field where that one is empty.
const CLASS_ANNOTATIONS: [&str; 2] = ["projectcontour.io/ingress.class", "kubernetes.io/ingress.class"];

/// An HTTPProxy under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct HttpProxy<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// What is asked for.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: HttpProxySpec<'a>,
}

impl HttpProxy<'_> {
    /// The class that serves it; none for the default one.
    pub fn class(&self) -> Option<&str> {
        self.named_class().filter(|class| *class != DEFAULT_CLASS)
    }

    /// Whether it names a class, be it the default one.
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
    /// The host; an object that has it is a root.
    #[serde(borrow)]
    pub virtualhost: Option<ProxyHost<'a>>,
    /// What is done with which requests.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub routes: Vec<ProxyRoute<'a>>,
    /// Objects whose routes are added, under conditions.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub includes: Vec<Include<'a>>,
    /// Where whole connections go.
    #[serde(borrow)]
    pub tcpproxy: Option<Box<ProxyTcp<'a>>>,
}

/// `spec.virtualhost` of an HTTPProxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct ProxyHost<'a> {
    /// The host, also a wildcard of one label.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub fqdn: Text<'a>,
    /// How TLS is spoken; absent for plain HTTP.
    #[serde(borrow)]
    pub tls: Option<ProxyTls<'a>>,
}

/// `spec.virtualhost.tls` of an HTTPProxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct ProxyTls<'a> {
    /// The Secret with certificate and key, or `namespace/name` for a delegated one.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub secret_name: Option<Text<'a>>,
    /// Whether TLS is handed through to the services of `tcpproxy`.
    #[serde(deserialize_with = "null_is_default")]
    pub passthrough: bool,
    /// The oldest version of TLS that is spoken.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub minimum_protocol_version: Option<Text<'a>>,
    /// The newest version of TLS that is spoken.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub maximum_protocol_version: Option<Text<'a>>,
    /// Whether the default certificate answers clients that send no known name.
    #[serde(deserialize_with = "null_is_default")]
    pub enable_fallback_certificate: bool,
}

/// The versions of TLS that Contour speaks for HTTPProxies, the oldest first.
pub const PROXY_TLS_VERSIONS: [&str; 2] = ["1.2", "1.3"];

impl ProxyTls<'_> {
    /// The oldest version that is spoken; what is none counts as not written.
    pub fn oldest_version(&self) -> &str {
        spoken(&self.minimum_protocol_version).unwrap_or(PROXY_TLS_VERSIONS[0])
    }

    /// The newest version that is spoken, alike.
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
    /// The requests that it is for: all conditions must hold.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub conditions: Vec<MatchCondition<'a>>,
    /// Who answers.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub services: Vec<ProxyService<'a>>,
    /// Answers with a redirect instead.
    pub request_redirect_policy: Present,
    /// Answers with a fixed text instead.
    pub direct_response_policy: Present,
    /// Whether plain HTTP is answered although the host has TLS.
    #[serde(deserialize_with = "null_is_default")]
    pub permit_insecure: bool,
}

/// What one HTTPProxy hands on to another.
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
    /// The name of the HTTPProxy that is included.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// Its namespace; absent or empty for the object's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub namespace: Option<Text<'a>>,
    /// The requests that it is for: all conditions must hold, besides those of its own routes.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub conditions: Vec<MatchCondition<'a>>,
}

impl Include<'_> {
    /// The namespace that is meant in an object of the namespace `own`.
    pub fn namespace_from<'n>(&'n self, own: &'n str) -> &'n str {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(own)
    }
}

/// A Service of the object's own namespace, with its share.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct ProxyService<'a> {
    /// Its name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// Its port.
    #[serde(deserialize_with = "integer_or_none")]
    pub port: Option<i64>,
    /// Its share among the services of the route.
    #[serde(deserialize_with = "integer_or_none")]
    pub weight: Option<i64>,
    /// Whether it only gets copies of the requests.
    #[serde(deserialize_with = "null_is_default")]
    pub mirror: bool,
}

/// `spec.tcpproxy` of an HTTPProxy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct ProxyTcp<'a> {
    /// Who answers.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub services: Vec<ProxyService<'a>>,
    /// The object that decides instead.
    #[serde(borrow)]
    pub include: Option<TcpInclude<'a>>,
    /// A misspelling of `include` that Contour reads too.
    #[serde(borrow)]
    pub includes: Option<TcpInclude<'a>>,
}

impl<'a> ProxyTcp<'a> {
    /// The object that decides instead, in the spelling that is used.
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
    /// Its namespace; absent or empty for the object's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub namespace: Option<Text<'a>>,
}

impl TcpInclude<'_> {
    /// The namespace that is meant in an object of the namespace `own`.
    pub fn namespace_from<'n>(&'n self, own: &'n str) -> &'n str {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(own)
    }
}

maps_only!(HttpProxy, HttpProxySpec, ProxyHost, ProxyTls, ProxyRoute, Include, ProxyService, ProxyTcp, TcpInclude);
