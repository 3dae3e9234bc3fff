//! `contour.heptio.com` IngressRoute: a root that owns a host, or a vertex that serves a part of one (Contour's design
//! document).

use serde::Deserialize;

use super::one_or_many::OneOrMany;
use super::{Metadata, Number, Present, Text, integer_or_none, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::maps_only;

/// The annotations that name the class, of which the first non-empty one counts. Without them, or with the value
/// `contour`, it is the default class.
const CLASS_ANNOTATIONS: [&str; 3] =
    ["contour.heptio.com/ingress.class", "kubernetes.io/ingress.class", "projectcontour.io/ingress.class"];

/// The name of the default class, which may be omitted.
pub const DEFAULT_CLASS: &str = "contour";

/// The load balancing strategy if none is written.
const DEFAULT_STRATEGY: &str = "RoundRobin";

/// An IngressRoute under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct IngressRoute<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: IngressRouteSpec<'a>,
}

impl IngressRoute<'_> {
    /// The class that serves it; `None` for the default class.
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
    /// The host. An object with this field is a root, and one without it is a vertex.
    #[serde(borrow)]
    pub virtualhost: Option<VirtualHost<'a>>,
    /// The load balancing strategy of services that do not specify one.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub strategy: Option<Text<'a>>,
    /// The health check of services that do not specify one.
    #[serde(borrow)]
    pub health_check: Option<Box<HealthCheck<'a>>>,
    /// The routes.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub routes: Vec<PathRoute<'a>>,
    /// The target of whole connections; an extension of the design document.
    #[serde(borrow)]
    pub tcpproxy: Option<Box<TcpProxy<'a>>>,
    /// The name of `healthCheck` in the design document's example, taken literally.
    #[serde(rename = "healthCheck (Optional)")]
    pub health_check_optional: Present,
    /// A name of `healthCheck` in early drafts.
    pub lb_health_check: Present,
    /// A name of `strategy` in the design document's section on future work.
    pub lb_algorithm: Present,
}

/// The load balancing strategies, ordered. `Cookie` is an extension that is always accepted.
pub const STRATEGIES: [&str; 4] = ["Cookie", "Random", "RoundRobin", "WeightedLeastRequest"];

/// The allowed minimum TLS versions.
pub const TLS_VERSIONS: [&str; 3] = ["1.1", "1.2", "1.3"];

impl IngressRouteSpec<'_> {
    /// The load balancing strategy of `service`: its own, else that of the object, else the default.
    pub fn strategy_of<'s>(&'s self, service: &'s WeightedService<'_>) -> &'s str {
        let written = [&service.strategy, &self.strategy].into_iter().flatten().find(|strategy| !strategy.is_empty());
        written.map_or(DEFAULT_STRATEGY, |strategy| strategy)
    }
}

/// `spec.virtualhost`, which makes an object a root.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct VirtualHost<'a> {
    /// The host.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub fqdn: Text<'a>,
    /// The TLS configuration; absent for plain HTTP.
    #[serde(borrow)]
    pub tls: Option<VirtualHostTls<'a>>,
}

/// `spec.virtualhost.tls`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct VirtualHostTls<'a> {
    /// The Secret with certificate and key; `namespace/name` for a Secret in another namespace, which is an extension.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub secret_name: Text<'a>,
    /// The minimum TLS version: `1.1`, `1.2` or `1.3`, also as a number without quotes.
    #[serde(borrow)]
    pub minimum_protocol_version: Option<Number<'a>>,
    /// Whether TLS is passed through to the services of `tcpproxy`; an extension.
    #[serde(deserialize_with = "null_is_default")]
    pub passthrough: bool,
}

/// One of `spec.routes`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct PathRoute<'a> {
    /// The path prefix of the requests.
    #[serde(borrow, rename = "match", deserialize_with = "text_or_none")]
    pub prefix: Option<Text<'a>>,
    /// The services, in the canonical form.
    #[serde(borrow)]
    pub services: Option<Vec<WeightedService<'a>>>,
    /// The services, in the two forms of the design document.
    #[serde(borrow)]
    pub service: Option<OneOrMany<WeightedService<'a>>>,
    /// The IngressRoute to which the prefix is delegated instead.
    #[serde(borrow)]
    pub delegate: Option<Delegate<'a>>,
    /// Whether plain HTTP is served although the host has TLS.
    #[serde(deserialize_with = "null_is_default")]
    pub permit_insecure: bool,
    /// The replacement of the prefix.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub prefix_rewrite: Option<Text<'a>>,
    /// The timeouts of a request.
    #[serde(borrow)]
    pub timeout_policy: Option<TimeoutPolicy<'a>>,
    /// The retry policy.
    #[serde(borrow)]
    pub retry_policy: Option<RetryPolicy<'a>>,
    /// A field that a comment in the design document mentions but that never existed.
    #[serde(rename = "enforceTLS")]
    pub enforce_tls: Present,
}

/// The form in which a list of services is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ServiceForm {
    /// `services`, a list: the canonical form.
    Services,
    /// `service`, a list.
    ServiceList,
    /// `service`, a map.
    ServiceMap,
}

impl<'a> PathRoute<'a> {
    /// The prefix as written; empty if it is absent.
    pub fn prefix(&self) -> &str {
        self.prefix.as_deref().unwrap_or_default()
    }

    /// The services with the form in which they are written; those of `services` if both keys are present. An empty
    /// list counts as absent.
    pub fn services(&self) -> (ServiceForm, &[WeightedService<'a>]) {
        match (self.services.as_deref(), &self.service) {
            (None | Some([]), Some(OneOrMany::Many(services))) => (ServiceForm::ServiceList, services),
            (None | Some([]), Some(OneOrMany::One(service))) => {
                (ServiceForm::ServiceMap, std::slice::from_ref(service))
            }
            (services, _) => (ServiceForm::Services, services.unwrap_or_default()),
        }
    }

    /// Whether it specifies services under both keys.
    pub fn is_spelt_twice(&self) -> bool {
        let has_service = match &self.service {
            Some(OneOrMany::Many(services)) => !services.is_empty(),
            Some(OneOrMany::One(_)) => true,
            None => false,
        };
        has_service && self.services.as_ref().is_some_and(|services| !services.is_empty())
    }
}

/// A Service in the object's own namespace, with its share of requests.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct WeightedService<'a> {
    /// Its name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// Its port.
    #[serde(deserialize_with = "integer_or_none")]
    pub port: Option<i64>,
    /// The share of requests among the services of the route. If it is absent, the service gets no requests if others
    /// have a weight, and an equal share otherwise.
    #[serde(deserialize_with = "integer_or_none")]
    pub weight: Option<i64>,
    /// The load balancing strategy for its endpoints.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub strategy: Option<Text<'a>>,
    /// The health check of its endpoints.
    #[serde(borrow)]
    pub health_check: Option<Box<HealthCheck<'a>>>,
    /// How its certificate is validated; an extension.
    #[serde(borrow)]
    pub validation: Option<Box<UpstreamValidation<'a>>>,
    /// The name of `healthCheck` in the design document's example, taken literally.
    #[serde(rename = "healthCheck (Optional)")]
    pub health_check_optional: Present,
    /// A name of `healthCheck` in early drafts.
    pub lb_health_check: Present,
    /// A name of `strategy` in the design document's section on future work.
    pub lb_algorithm: Present,
    /// A name of `weight` in the text of the design document.
    pub weights: Present,
}

/// `healthCheck` of the spec or of a service.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct HealthCheck<'a> {
    /// The path of a probe.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub path: Text<'a>,
    /// The `Host` header of a probe; `contour-envoy-healthcheck` if absent.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub host: Option<Text<'a>>,
    /// The time between two probes in seconds; 0 or absent for 5.
    #[serde(deserialize_with = "integer_or_none")]
    pub interval_seconds: Option<i64>,
    /// The timeout of a probe in seconds; 0 or absent for 2.
    #[serde(deserialize_with = "integer_or_none")]
    pub timeout_seconds: Option<i64>,
    /// The number of failures after which an endpoint is unhealthy; 0 or absent for 3.
    #[serde(deserialize_with = "integer_or_none")]
    pub unhealthy_threshold_count: Option<i64>,
    /// The number of successes after which an endpoint is healthy; 0 or absent for 2.
    #[serde(deserialize_with = "integer_or_none")]
    pub healthy_threshold_count: Option<i64>,
}

/// `validation` of a service, which says how its certificate is validated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct UpstreamValidation<'a> {
    /// The Secret with the certificate authority in `ca.crt`.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub ca_secret: Text<'a>,
    /// The name that must be on the certificate.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub subject_name: Text<'a>,
}

/// An IngressRoute to which a prefix is delegated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct Delegate<'a> {
    /// Its name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// The namespace; absent or empty for the object's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub namespace: Option<Text<'a>>,
}

impl Delegate<'_> {
    /// The namespace; if none is written, `own`, the namespace of the referring object.
    pub fn namespace_from<'n>(&'n self, own: &'n str) -> &'n str {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(own)
    }
}

/// `spec.tcpproxy`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct TcpProxy<'a> {
    /// The Services that accept the connections.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub services: Vec<WeightedService<'a>>,
    /// The IngressRoute to which connections are delegated instead.
    #[serde(borrow)]
    pub delegate: Option<Delegate<'a>>,
}

/// `timeoutPolicy` of a route.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct TimeoutPolicy<'a> {
    /// The timeout for the services, as a Go duration or `infinity`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub request: Option<Text<'a>>,
}

/// `retryPolicy` of a route.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct RetryPolicy<'a> {
    /// The maximum number of retries.
    #[serde(deserialize_with = "integer_or_none")]
    pub count: Option<i64>,
    /// The timeout of one attempt, as a Go duration.
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
