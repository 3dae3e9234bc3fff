//! The table of kinds: their names in the API, and the admission requests for their objects. Webhook rules and RBAC are
//! generated from it.

use super::reference::GATEWAY_GROUP;
use super::{ApiResource, Kind};

/// The group of Ingress and IngressClass.
const NETWORKING_GROUP: &str = "networking.k8s.io";
/// The group of IngressRoute, according to the design document.
pub(super) const HEPTIO_GROUP: &str = "contour.heptio.com";
/// The group of HTTPProxy.
pub(super) const CONTOUR_GROUP: &str = "projectcontour.io";
/// The group of the kinds of Portcullis.
const PORTCULLIS_GROUP: &str = "portcullis.dev";
/// The group of Certificate.
const CERT_MANAGER_GROUP: &str = "cert-manager.io";

/// The webhook entry that the API server calls for objects of a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum WebhookGroup {
    /// Ingresses.
    Ingresses,
    /// IngressClasses, which have no namespace.
    IngressClasses,
    /// Namespaced kinds of the Gateway API.
    Gateways,
    /// IngressRoutes, HTTPProxies and the certificate delegations for them.
    Delegations,
    /// GatewayClasses and HostClaims, which have no namespace.
    GatewayClasses,
}

/// The admission requests for objects of a kind. Creations and updates are always validated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookSupport {
    /// The webhook entry for creations and updates.
    pub entry: WebhookGroup,
    /// Whether deletions are also validated.
    pub deletions: bool,
    /// Whether defaults are set on creation.
    pub defaults: bool,
    /// Whether cert-manager creates objects of this kind to answer ACME challenges.
    pub solvers: bool,
}

struct Row {
    kind: Kind,
    api: ApiResource,
    admission: Option<WebhookSupport>,
}

/// Every kind, in the order of [`Kind::ALL`], with the versions that API servers and CRD bundles 1.4 to 1.7 serve.
#[rustfmt::skip]
const TABLE: [Row; Kind::ALL.len()] = {
    use WebhookGroup::{Delegations, GatewayClasses, Gateways, IngressClasses, Ingresses};
    [
        namespaced(Kind::Ingress, NETWORKING_GROUP, "Ingress", "ingresses", &["v1"]).validated(Ingresses).with_defaults().with_solvers(),
        cluster_scoped(Kind::IngressClass, NETWORKING_GROUP, "IngressClass", "ingressclasses", &["v1"]).validated(IngressClasses).with_deletions(),
        namespaced(Kind::Service, "", "Service", "services", &["v1"]),
        cluster_scoped(Kind::Namespace, "", "Namespace", "namespaces", &["v1"]),
        cluster_scoped(Kind::GatewayClass, GATEWAY_GROUP, "GatewayClass", "gatewayclasses", &["v1", "v1beta1"]).validated(GatewayClasses).with_deletions(),
        namespaced(Kind::Gateway, GATEWAY_GROUP, "Gateway", "gateways", &["v1", "v1beta1"]).validated(Gateways).with_deletions().with_defaults(),
        namespaced(Kind::ListenerSet, GATEWAY_GROUP, "ListenerSet", "listenersets", &["v1"]).validated(Gateways).with_deletions(),
        namespaced(Kind::HttpRoute, GATEWAY_GROUP, "HTTPRoute", "httproutes", &["v1", "v1beta1"]).validated(Gateways).with_solvers(),
        namespaced(Kind::GrpcRoute, GATEWAY_GROUP, "GRPCRoute", "grpcroutes", &["v1"]).validated(Gateways),
        namespaced(Kind::TlsRoute, GATEWAY_GROUP, "TLSRoute", "tlsroutes", &["v1", "v1alpha3", "v1alpha2"]).validated(Gateways),
        namespaced(Kind::TcpRoute, GATEWAY_GROUP, "TCPRoute", "tcproutes", &["v1", "v1alpha2"]).validated(Gateways),
        namespaced(Kind::UdpRoute, GATEWAY_GROUP, "UDPRoute", "udproutes", &["v1", "v1alpha2"]).validated(Gateways),
        namespaced(Kind::ReferenceGrant, GATEWAY_GROUP, "ReferenceGrant", "referencegrants", &["v1", "v1beta1"]).validated(Gateways),
        namespaced(Kind::BackendTlsPolicy, GATEWAY_GROUP, "BackendTLSPolicy", "backendtlspolicies", &["v1", "v1alpha3"]).validated(Gateways),
        namespaced(Kind::IngressRoute, HEPTIO_GROUP, "IngressRoute", "ingressroutes", &["v1beta1"]).validated(Delegations).with_deletions(),
        namespaced(Kind::TlsCertificateDelegation, HEPTIO_GROUP, "TLSCertificateDelegation", "tlscertificatedelegations", &["v1beta1"]).validated(Delegations),
        namespaced(Kind::HttpProxy, CONTOUR_GROUP, "HTTPProxy", "httpproxies", &["v1"]).validated(Delegations).with_deletions().with_defaults(),
        namespaced(Kind::ProxyCertificateDelegation, CONTOUR_GROUP, "TLSCertificateDelegation", "tlscertificatedelegations", &["v1"]),
        cluster_scoped(Kind::HostClaim, PORTCULLIS_GROUP, "HostClaim", "hostclaims", &["v1alpha1"]).validated(GatewayClasses).with_deletions(),
        namespaced(Kind::HostRequest, PORTCULLIS_GROUP, "HostRequest", "hostrequests", &["v1alpha1"]),
        namespaced(Kind::Certificate, CERT_MANAGER_GROUP, "Certificate", "certificates", &["v1"]),
    ]
};

/// The names of `kind` in the API.
pub(super) const fn api(kind: Kind) -> ApiResource {
    row(kind).api
}

/// The admission requests for objects of `kind`; `None` for a kind that is only looked up.
pub(super) const fn admission(kind: Kind) -> Option<WebhookSupport> {
    row(kind).admission
}

const fn row(kind: Kind) -> &'static Row {
    &TABLE[kind as usize]
}

/// Asserts that [`row`] finds the row of each kind.
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
    const fn validated(self, entry: WebhookGroup) -> Self {
        Self { admission: Some(WebhookSupport { entry, deletions: false, defaults: false, solvers: false }), ..self }
    }

    const fn with_deletions(self) -> Self {
        let Some(admission) = self.admission else { panic!("only what is validated has deletions") };
        Self { admission: Some(WebhookSupport { deletions: true, ..admission }), ..self }
    }

    const fn with_defaults(self) -> Self {
        let Some(admission) = self.admission else { panic!("only what is validated has defaults") };
        Self { admission: Some(WebhookSupport { defaults: true, ..admission }), ..self }
    }

    const fn with_solvers(self) -> Self {
        let Some(admission) = self.admission else { panic!("only what is validated has solvers") };
        Self { admission: Some(WebhookSupport { solvers: true, ..admission }), ..self }
    }
}
