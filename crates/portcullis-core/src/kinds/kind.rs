//! The kinds by name: their names in the API, sets of kinds, and references to objects.

use std::cmp::Ordering;
use std::fmt;

use super::reference::GATEWAY_GROUP;
use super::table::{self, CONTOUR_GROUP, HEPTIO_GROUP, WebhookSupport};

/// A kind that Portcullis supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `networking.k8s.io` Ingress: validated and defaulted.
    Ingress,
    /// `networking.k8s.io` IngressClass: validated.
    IngressClass,
    /// Core Service: only looked up.
    Service,
    /// Core Namespace: only looked up.
    Namespace,
    /// `gateway.networking.k8s.io` GatewayClass: validated.
    GatewayClass,
    /// `gateway.networking.k8s.io` Gateway: validated and defaulted.
    Gateway,
    /// `gateway.networking.k8s.io` ListenerSet: validated.
    ListenerSet,
    /// `gateway.networking.k8s.io` HTTPRoute: validated.
    HttpRoute,
    /// `gateway.networking.k8s.io` GRPCRoute: validated.
    GrpcRoute,
    /// `gateway.networking.k8s.io` TLSRoute: validated.
    TlsRoute,
    /// `gateway.networking.k8s.io` TCPRoute: validated.
    TcpRoute,
    /// `gateway.networking.k8s.io` UDPRoute: validated.
    UdpRoute,
    /// `gateway.networking.k8s.io` ReferenceGrant: validated.
    ReferenceGrant,
    /// `gateway.networking.k8s.io` BackendTLSPolicy: validated.
    BackendTlsPolicy,
    /// `contour.heptio.com` IngressRoute: validated.
    IngressRoute,
    /// `contour.heptio.com` TLSCertificateDelegation: validated.
    TlsCertificateDelegation,
    /// `projectcontour.io` HTTPProxy: validated.
    HttpProxy,
    /// `projectcontour.io` TLSCertificateDelegation, which delegates certificates to HTTPProxies: only looked up.
    ProxyCertificateDelegation,
    /// `portcullis.dev` HostClaim: validated.
    HostClaim,
    /// `portcullis.dev` HostRequest: only looked up.
    HostRequest,
    /// `cert-manager.io` Certificate: only looked up.
    Certificate,
}

/// The names of a kind in the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiResource {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The versions that the view type supports, the preferred one first.
    pub versions: &'static [&'static str],
    /// The kind, as in manifests.
    pub kind: &'static str,
    /// The resource, as in URLs and RBAC.
    pub plural: &'static str,
    /// Whether the kind is namespaced.
    pub namespaced: bool,
}

impl Kind {
    /// Every kind, in the order that all lists use.
    pub const ALL: [Self; 21] = [
        Self::Ingress,
        Self::IngressClass,
        Self::Service,
        Self::Namespace,
        Self::GatewayClass,
        Self::Gateway,
        Self::ListenerSet,
        Self::HttpRoute,
        Self::GrpcRoute,
        Self::TlsRoute,
        Self::TcpRoute,
        Self::UdpRoute,
        Self::ReferenceGrant,
        Self::BackendTlsPolicy,
        Self::IngressRoute,
        Self::TlsCertificateDelegation,
        Self::HttpProxy,
        Self::ProxyCertificateDelegation,
        Self::HostClaim,
        Self::HostRequest,
        Self::Certificate,
    ];

    /// The kind's names in the API, with all versions that API servers and CRD bundles 1.4 to 1.7 serve.
    pub const fn api(self) -> ApiResource {
        table::api(self)
    }

    /// The admission requests for objects of this kind; `None` if they are only looked up.
    pub const fn admission(self) -> Option<WebhookSupport> {
        table::admission(self)
    }

    /// The kind with these names, if Portcullis supports this version of it.
    pub fn of(group: &str, version: &str, kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| {
            let api = known.api();
            api.kind == kind && api.group == group && api.versions.contains(&version)
        })
    }

    /// The kind of a manifest with this `apiVersion`.
    pub fn of_manifest(api_version: &str, kind: &str) -> Option<Self> {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        Self::of(group, version, kind)
    }

    /// Whether admission reviews of this kind are validated.
    pub const fn is_validated(self) -> bool {
        self.admission().is_some()
    }

    /// The kind's name in lists of kinds: with its group, as in kubectl, if an earlier kind has the same name.
    pub const fn label(self) -> &'static str {
        match self {
            Self::ProxyCertificateDelegation => "TLSCertificateDelegation.projectcontour.io",
            _ => self.api().kind,
        }
    }

    /// Whether the kind belongs to the Gateway API, so that the rules of its schema depend on the bundle.
    pub fn is_gateway_api(self) -> bool {
        self.api().group == GATEWAY_GROUP
    }

    /// The resource's name in lists of kinds, with its group in the same cases as [`label`](Self::label).
    pub const fn resource(self) -> &'static str {
        match self {
            Self::ProxyCertificateDelegation => "tlscertificatedelegations.projectcontour.io",
            _ => self.api().plural,
        }
    }

    /// Whether the kind is one of Contour's, in its first or its current API group.
    pub fn is_of_contour(self) -> bool {
        [HEPTIO_GROUP, CONTOUR_GROUP].contains(&self.api().group)
    }

    /// Whether a better-known kind has the same name: Traefik's IngressRoute, and the TLSCertificateDelegation of
    /// Contour's current group.
    pub const fn shares_its_name(self) -> bool {
        matches!(self, Self::IngressRoute | Self::TlsCertificateDelegation)
    }

    /// Whether the kind is installed as a CRD, so that it may be absent.
    pub const fn is_custom(self) -> bool {
        !matches!(self, Self::Ingress | Self::IngressClass | Self::Service | Self::Namespace)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}

/// A set of kinds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KindSet(u32);

impl FromIterator<Kind> for KindSet {
    fn from_iter<I: IntoIterator<Item = Kind>>(kinds: I) -> Self {
        kinds.into_iter().fold(Self::EMPTY, |all, kind| all.union(Self::of(&[kind])))
    }
}

impl KindSet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// The set of every kind.
    pub const EVERY: Self = Self::of(&Kind::ALL);

    /// The kinds of routes of the Gateway API.
    pub const ROUTES: Self =
        Self::of(&[Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute]);

    /// The kinds whose admission reviews are validated.
    pub const VALIDATED: Self = {
        let (mut set, mut next) = (Self::EMPTY, 0);
        while next < Kind::ALL.len() {
            if Kind::ALL[next].is_validated() {
                set = set.union(Self::of(&[Kind::ALL[next]]));
            }
            next += 1;
        }
        set
    };

    /// Returns the set of these kinds.
    pub const fn of(kinds: &[Kind]) -> Self {
        let (mut set, mut next) = (0, 0);
        while next < kinds.len() {
            set |= 1 << kinds[next] as u32;
            next += 1;
        }
        Self(set)
    }

    /// The kinds in either set.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The kinds of this set that are not in `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether `kind` is in the set.
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds, in the order of [`Kind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
}

/// A reference to an object by kind, namespace and name, never by UID: an object that is deleted and created again has
/// the same reference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// The kind.
    pub kind: Kind,
    /// Its namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// The name; empty if the API server has not generated it yet.
    pub name: String,
}

impl ObjectRef {
    /// Returns a reference. The namespace is dropped for cluster-scoped kinds.
    pub fn new(kind: Kind, namespace: &str, name: &str) -> Self {
        let namespace = if kind.api().namespaced { namespace } else { "" };
        Self { kind, namespace: namespace.to_owned(), name: name.to_owned() }
    }

    /// The namespace of the object; for a Namespace, its name.
    pub fn of_namespace(&self) -> &str {
        if self.kind == Kind::Namespace { &self.name } else { &self.namespace }
    }

    /// Orders references by the text `namespace/name`, as the Gateway API does. Since `/` sorts after `-`, comparing the parts
    /// one by one gives another order.
    pub fn cmp_by_text(&self, other: &Self) -> Ordering {
        self.text().cmp(other.text())
    }

    /// The bytes of `namespace/name`.
    fn text(&self) -> impl Iterator<Item = u8> {
        self.namespace.bytes().chain([b'/']).chain(self.name.bytes())
    }

    /// The text of the reference with `kind` instead of the kind's name.
    pub fn called(&self, kind: &str) -> String {
        match self.namespace.as_str() {
            "" => [kind, " ", &self.name].concat(),
            namespace => [kind, " ", namespace, "/", &self.name].concat(),
        }
    }
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.called(self.kind.label()))
    }
}
