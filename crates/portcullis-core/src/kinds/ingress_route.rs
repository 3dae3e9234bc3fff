//! `contour.heptio.com` IngressRoute: a root that owns a host, or a vertex that serves a part of one (Contour's design document).

use serde::Deserialize;

use super::one_or_many::OneOrMany;
use super::{Metadata, Number, Present, Text, integer_or_none, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::maps_only;

/// The annotations that name the class, the first that is there wins; without one, or as `contour`, it is the default class.
const CLASS_ANNOTATIONS: [&str; 3] =
    ["contour.heptio.com/ingress.class", "kubernetes.io/ingress.class", "projectcontour.io/ingress.class"];

/// The name of the default class, which may also go unnamed.
pub const DEFAULT_CLASS: &str = "contour";

/// The strategy where none is written.
const DEFAULT_STRATEGY: &str = "RoundRobin";

/// An IngressRoute under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct IngressRoute<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// What is asked for.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: IngressRouteSpec<'a>,
}

impl IngressRoute<'_> {
    /// The class that serves it; none for the default one.
    pub fn class(&self) -> Option<&str> {
        let annotations = &self.metadata.annotations;
        let named = CLASS_ANNOTATIONS.iter().find_map(|key| annotations.get(key).filter(|class| !class.is_empty()));
        named.map(|class| &**class).filter(|class| *class != DEFAULT_CLASS)
    }
}

/// `spec` of an IngressRoute.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct IngressRouteSpec<'a> {
    /// The host; an object that has it is a root, one without is a vertex.
    #[serde(borrow)]
    pub virtualhost: Option<VirtualHost<'a>>,
    /// How services that do not say it themselves are balanced.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub strategy: Option<Text<'a>>,
    /// How services that do not say it themselves are probed.
    #[serde(borrow)]
    pub health_check: Option<Box<HealthCheck<'a>>>,
    /// What is done with which paths.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub routes: Vec<PathRoute<'a>>,
    /// Where whole connections go; an extension to the design document.
    #[serde(borrow)]
    pub tcpproxy: Option<Box<TcpProxy<'a>>>,
    /// The design document's sample of `healthCheck`, taken literally.
    #[serde(rename = "healthCheck (Optional)")]
    pub health_check_optional: Present,
    /// A name of `healthCheck` in early drafts.
    pub lb_health_check: Present,
    /// A name of `strategy` in the design document's outlook.
    pub lb_algorithm: Present,
}

/// How services may be balanced; the last is an extension that everybody takes.
pub const STRATEGIES: [&str; 4] = ["RoundRobin", "WeightedLeastRequest", "Random", "Cookie"];

/// The versions of TLS that may be the oldest.
pub const TLS_VERSIONS: [&str; 3] = ["1.1", "1.2", "1.3"];

impl IngressRouteSpec<'_> {
    /// How `service` is balanced: by its own strategy, by that of the object, or in turn.
    pub fn strategy_of<'s>(&'s self, service: &'s WeightedService<'_>) -> &'s str {
        let written = [&service.strategy, &self.strategy].into_iter().flatten().find(|strategy| !strategy.is_empty());
        written.map_or(DEFAULT_STRATEGY, |strategy| strategy)
    }
}

/// `spec.virtualhost`: what makes an object a root.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct VirtualHost<'a> {
    /// The host.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub fqdn: Text<'a>,
    /// How TLS is spoken; absent for plain HTTP.
    #[serde(borrow)]
    pub tls: Option<VirtualHostTls<'a>>,
}

/// `spec.virtualhost.tls`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct VirtualHostTls<'a> {
    /// The Secret with certificate and key; `namespace/name` for one of another namespace, an extension.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub secret_name: Text<'a>,
    /// The oldest version of TLS that is spoken: `1.1`, `1.2` or `1.3`, also as a bare number.
    #[serde(borrow)]
    pub minimum_protocol_version: Option<Number<'a>>,
    /// Whether TLS is handed through to the services of `tcpproxy`; an extension.
    #[serde(deserialize_with = "null_is_default")]
    pub passthrough: bool,
}

/// One of `spec.routes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct PathRoute<'a> {
    /// The prefix of the paths that it is for.
    #[serde(borrow, rename = "match", deserialize_with = "text_or_none")]
    pub prefix: Option<Text<'a>>,
    /// Who answers, in the canonical spelling.
    #[serde(borrow)]
    pub services: Option<Vec<WeightedService<'a>>>,
    /// Who answers, in the two spellings of the design document.
    #[serde(borrow)]
    pub service: Option<OneOrMany<WeightedService<'a>>>,
    /// The object that decides instead.
    #[serde(borrow)]
    pub delegate: Option<Delegate<'a>>,
    /// Whether plain HTTP is answered although the host has TLS.
    #[serde(deserialize_with = "null_is_default")]
    pub permit_insecure: bool,
    /// What the prefix is replaced with.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub prefix_rewrite: Option<Text<'a>>,
    /// How long a request may take.
    #[serde(borrow)]
    pub timeout_policy: Option<TimeoutPolicy<'a>>,
    /// When a request is tried again.
    #[serde(borrow)]
    pub retry_policy: Option<RetryPolicy<'a>>,
    /// A field of which a comment of the design document speaks, and which never was.
    #[serde(rename = "enforceTLS")]
    pub enforce_tls: Present,
}

/// How a list of services is spelt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    /// `services`, a list: the canonical form.
    Services,
    /// `service`, a list.
    ServiceList,
    /// `service`, a map.
    ServiceMap,
}

impl<'a> PathRoute<'a> {
    /// The prefix as written; empty where it is absent.
    pub fn prefix(&self) -> &str {
        self.prefix.as_deref().unwrap_or_default()
    }

    /// The services in the spelling that is used, those of `services` where both are; an empty list is as good as none.
    pub fn services(&self) -> (Spelling, &[WeightedService<'a>]) {
        match (self.services.as_deref(), &self.service) {
            (None | Some([]), Some(OneOrMany::Many(services))) => (Spelling::ServiceList, services),
            (None | Some([]), Some(OneOrMany::One(service))) => (Spelling::ServiceMap, std::slice::from_ref(service)),
            (services, _) => (Spelling::Services, services.unwrap_or_default()),
        }
    }

    /// Whether it names services under both keys.
    pub fn is_spelt_twice(&self) -> bool {
        let has_service = match &self.service {
            Some(OneOrMany::Many(services)) => !services.is_empty(),
            Some(OneOrMany::One(_)) => true,
            None => false,
        };
        has_service && self.services.as_ref().is_some_and(|services| !services.is_empty())
    }
}

/// A Service of the object's own namespace, with its share.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct WeightedService<'a> {
    /// Its name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// Its port.
    #[serde(deserialize_with = "integer_or_none")]
    pub port: Option<i64>,
    /// Its share among the services of the route; absent for none where others have one, and for an even split where none has.
    #[serde(deserialize_with = "integer_or_none")]
    pub weight: Option<i64>,
    /// How requests are spread over its endpoints.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub strategy: Option<Text<'a>>,
    /// How its endpoints are probed.
    #[serde(borrow)]
    pub health_check: Option<Box<HealthCheck<'a>>>,
    /// How its certificate is judged; an extension.
    #[serde(borrow)]
    pub validation: Option<Box<UpstreamValidation<'a>>>,
    /// The design document's sample of `healthCheck`, taken literally.
    #[serde(rename = "healthCheck (Optional)")]
    pub health_check_optional: Present,
    /// A name of `healthCheck` in early drafts.
    pub lb_health_check: Present,
    /// A name of `strategy` in the design document's outlook.
    pub lb_algorithm: Present,
    /// What the design document's prose calls `weight`.
    pub weights: Present,
}

/// `healthCheck` of the spec or of a service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct HealthCheck<'a> {
    /// What is asked for.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub path: Text<'a>,
    /// The `Host` that is asked with; `contour-envoy-healthcheck` if absent.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub host: Option<Text<'a>>,
    /// The seconds between two probes; 0 or absent for 5.
    #[serde(deserialize_with = "integer_or_none")]
    pub interval_seconds: Option<i64>,
    /// The seconds until a probe has failed; 0 or absent for 2.
    #[serde(deserialize_with = "integer_or_none")]
    pub timeout_seconds: Option<i64>,
    /// How many failures make an endpoint unhealthy; 0 or absent for 3.
    #[serde(deserialize_with = "integer_or_none")]
    pub unhealthy_threshold_count: Option<i64>,
    /// How many successes make an endpoint healthy; 0 or absent for 2.
    #[serde(deserialize_with = "integer_or_none")]
    pub healthy_threshold_count: Option<i64>,
}

/// `validation` of a service: how its certificate is judged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct UpstreamValidation<'a> {
    /// The Secret with the authority, under `ca.crt`.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub ca_secret: Text<'a>,
    /// The name that must be on the certificate.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub subject_name: Text<'a>,
}

/// An IngressRoute that decides for a prefix.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct Delegate<'a> {
    /// Its name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// Its namespace; absent or empty for the object's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub namespace: Option<Text<'a>>,
}

impl Delegate<'_> {
    /// The namespace that is meant in an object of the namespace `own`.
    pub fn namespace_from<'n>(&'n self, own: &'n str) -> &'n str {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(own)
    }
}

/// `spec.tcpproxy`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct TcpProxy<'a> {
    /// Who answers.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub services: Vec<WeightedService<'a>>,
    /// The object that decides instead.
    #[serde(borrow)]
    pub delegate: Option<Delegate<'a>>,
}

/// `timeoutPolicy` of a route.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct TimeoutPolicy<'a> {
    /// How long the services may take, as a duration of Go or `infinity`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub request: Option<Text<'a>>,
}

/// `retryPolicy` of a route.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct RetryPolicy<'a> {
    /// How often at most.
    #[serde(deserialize_with = "integer_or_none")]
    pub count: Option<i64>,
    /// How long one attempt may take, as a duration of Go.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub per_try_timeout: Option<Text<'a>>,
}

maps_only!(
    IngressRoute,
    IngressRouteSpec,
    VirtualHost,
    VirtualHostTls,
    PathRoute,
    WeightedService,
    HealthCheck,
    UpstreamValidation,
    Delegate,
    TcpProxy,
    TimeoutPolicy,
    RetryPolicy
);
