//! The table of kinds: how the API server names each, and what it asks about its objects. Webhook rules and RBAC are made of it.

use super::reference::GATEWAY_GROUP;
use super::{ApiResource, Kind};

/// The group of Ingress and IngressClass.
const NETWORKING_GROUP: &str = "networking.k8s.io";
/// The group of IngressRoute, as the design document has it.
pub(super) const HEPTIO_GROUP: &str = "contour.heptio.com";
/// The group of HTTPProxy.
pub(super) const CONTOUR_GROUP: &str = "projectcontour.io";

/// The webhook entry that the API server calls for objects of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WebhookGroup {
    /// Ingresses.
    Ingresses,
    /// IngressClasses, which have no namespace.
    IngressClasses,
    /// Namespaced kinds of the Gateway API.
    Gateways,
    /// IngressRoutes, HTTPProxies and the certificates delegated to them.
    Delegations,
    /// GatewayClasses, which have no namespace.
    GatewayClasses,
}

/// What the API server asks about objects of a kind. Creations and updates are always judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Admission {
    /// The entry for creations and updates.
    pub entry: WebhookGroup,
    /// Whether deletions are judged too.
    pub deletions: bool,
    /// Whether defaults are filled in on creation.
    pub defaults: bool,
}

/// A row of the table.
struct Row {
    kind: Kind,
    api: ApiResource,
    admission: Option<Admission>,
}

/// Every kind, in the order of [`Kind::ALL`]; versions as API servers and CRD bundles 1.4 to 1.7 serve them.
#[rustfmt::skip]
const TABLE: [Row; Kind::ALL.len()] = {
    use WebhookGroup::{Delegations, GatewayClasses, Gateways, IngressClasses, Ingresses};
    [
        namespaced(Kind::Ingress, NETWORKING_GROUP, "Ingress", "ingresses", &["v1"]).judged(Ingresses).with_defaults(),
        cluster_scoped(Kind::IngressClass, NETWORKING_GROUP, "IngressClass", "ingressclasses", &["v1"]).judged(IngressClasses).with_deletions(),
        namespaced(Kind::Service, "", "Service", "services", &["v1"]),
        cluster_scoped(Kind::Namespace, "", "Namespace", "namespaces", &["v1"]),
        cluster_scoped(Kind::GatewayClass, GATEWAY_GROUP, "GatewayClass", "gatewayclasses", &["v1", "v1beta1"]).judged(GatewayClasses).with_deletions(),
        namespaced(Kind::Gateway, GATEWAY_GROUP, "Gateway", "gateways", &["v1", "v1beta1"]).judged(Gateways).with_defaults(),
        namespaced(Kind::ListenerSet, GATEWAY_GROUP, "ListenerSet", "listenersets", &["v1"]).judged(Gateways),
        namespaced(Kind::HttpRoute, GATEWAY_GROUP, "HTTPRoute", "httproutes", &["v1", "v1beta1"]).judged(Gateways),
        namespaced(Kind::GrpcRoute, GATEWAY_GROUP, "GRPCRoute", "grpcroutes", &["v1"]).judged(Gateways),
        namespaced(Kind::TlsRoute, GATEWAY_GROUP, "TLSRoute", "tlsroutes", &["v1", "v1alpha3", "v1alpha2"]).judged(Gateways),
        namespaced(Kind::TcpRoute, GATEWAY_GROUP, "TCPRoute", "tcproutes", &["v1", "v1alpha2"]).judged(Gateways),
        namespaced(Kind::UdpRoute, GATEWAY_GROUP, "UDPRoute", "udproutes", &["v1", "v1alpha2"]).judged(Gateways),
        namespaced(Kind::ReferenceGrant, GATEWAY_GROUP, "ReferenceGrant", "referencegrants", &["v1", "v1beta1"]).judged(Gateways),
        namespaced(Kind::BackendTlsPolicy, GATEWAY_GROUP, "BackendTLSPolicy", "backendtlspolicies", &["v1", "v1alpha3"]).judged(Gateways),
        namespaced(Kind::IngressRoute, HEPTIO_GROUP, "IngressRoute", "ingressroutes", &["v1beta1"]).judged(Delegations).with_deletions(),
        namespaced(Kind::TlsCertificateDelegation, HEPTIO_GROUP, "TLSCertificateDelegation", "tlscertificatedelegations", &["v1beta1"]).judged(Delegations),
        namespaced(Kind::HttpProxy, CONTOUR_GROUP, "HTTPProxy", "httpproxies", &["v1"]).judged(Delegations).with_deletions().with_defaults(),
        namespaced(Kind::ProxyCertificateDelegation, CONTOUR_GROUP, "TLSCertificateDelegation", "tlscertificatedelegations", &["v1"]),
    ]
};

/// The names of `kind` in the API.
pub(super) const fn api(kind: Kind) -> ApiResource {
    row(kind).api
}

/// What the API server asks about objects of `kind`; none of one that is only looked up.
pub(super) const fn admission(kind: Kind) -> Option<Admission> {
    row(kind).admission
}

const fn row(kind: Kind) -> &'static Row {
    &TABLE[kind as usize]
}

/// The rows stand where [`row`] looks for them.
const _: () = {
    let mut next = 0;
    while next < TABLE.len() {
        assert!(TABLE[next].kind as usize == next && Kind::ALL[next] as usize == next);
        next += 1;
    }
};

type Name = &'static str;

const fn namespaced(kind: Kind, group: Name, name: Name, plural: Name, versions: &'static [Name]) -> Row {
    Row { kind, api: ApiResource { group, versions, kind: name, plural, namespaced: true }, admission: None }
}

const fn cluster_scoped(kind: Kind, group: Name, name: Name, plural: Name, versions: &'static [Name]) -> Row {
    Row { kind, api: ApiResource { group, versions, kind: name, plural, namespaced: false }, admission: None }
}

impl Row {
    const fn judged(self, entry: WebhookGroup) -> Self {
        Self { admission: Some(Admission { entry, deletions: false, defaults: false }), ..self }
    }

    const fn with_deletions(self) -> Self {
        let Some(admission) = self.admission else { panic!("only what is judged has deletions") };
        Self { admission: Some(Admission { deletions: true, ..admission }), ..self }
    }

    const fn with_defaults(self) -> Self {
        let Some(admission) = self.admission else { panic!("only what is judged has defaults") };
        Self { admission: Some(Admission { defaults: true, ..admission }), ..self }
    }
}
