//! The kinds by name: how the API server calls them, sets of them, and the place of an object.

use std::fmt;

use super::reference::GATEWAY_GROUP;
use super::table::{self, Admission, CONTOUR_GROUP, HEPTIO_GROUP};

/// A kind that Portcullis knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `networking.k8s.io` Ingress: judged and defaulted.
    Ingress,
    /// `networking.k8s.io` IngressClass: judged.
    IngressClass,
    /// Core Service: only looked up.
    Service,
    /// Core Namespace: only looked up.
    Namespace,
    /// `gateway.networking.k8s.io` GatewayClass: judged.
    GatewayClass,
    /// `gateway.networking.k8s.io` Gateway: judged and defaulted.
    Gateway,
    /// `gateway.networking.k8s.io` ListenerSet: judged.
    ListenerSet,
    /// `gateway.networking.k8s.io` HTTPRoute: judged.
    HttpRoute,
    /// `gateway.networking.k8s.io` GRPCRoute: judged.
    GrpcRoute,
    /// `gateway.networking.k8s.io` TLSRoute: judged.
    TlsRoute,
    /// `gateway.networking.k8s.io` TCPRoute: judged.
    TcpRoute,
    /// `gateway.networking.k8s.io` UDPRoute: judged.
    UdpRoute,
    /// `gateway.networking.k8s.io` ReferenceGrant: judged.
    ReferenceGrant,
    /// `gateway.networking.k8s.io` BackendTLSPolicy: judged.
    BackendTlsPolicy,
    /// `contour.heptio.com` IngressRoute: judged.
    IngressRoute,
    /// `contour.heptio.com` TLSCertificateDelegation: judged.
    TlsCertificateDelegation,
    /// `projectcontour.io` HTTPProxy: judged.
    HttpProxy,
    /// `projectcontour.io` TLSCertificateDelegation, which lends to HTTPProxies: only looked up.
    ProxyCertificateDelegation,
}

/// How the API server names a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiResource {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The versions that the view type reads, the preferred one first.
    pub versions: &'static [&'static str],
    /// The kind, as in manifests.
    pub kind: &'static str,
    /// The resource, as in URLs and RBAC.
    pub plural: &'static str,
    /// Whether objects live in a namespace.
    pub namespaced: bool,
}

impl Kind {
    /// Every kind, in the order in which they are listed anywhere.
    pub const ALL: [Self; 18] = [
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
    ];

    /// The kind's names in the API, in all versions that API servers and CRD bundles 1.4 to 1.7 serve.
    pub const fn api(self) -> ApiResource {
        table::api(self)
    }

    /// What the API server asks about objects of this kind; `None` if they are only looked up.
    pub const fn admission(self) -> Option<Admission> {
        table::admission(self)
    }

    /// The kind with these names, if we read it in this version.
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

    /// Whether admission reviews of this kind are judged.
    pub const fn is_judged(self) -> bool {
        self.admission().is_some()
    }

    /// The kind's name where kinds stand beside each other: with its group, as kubectl writes it, where an earlier one has the same.
    pub const fn label(self) -> &'static str {
        match self {
            Self::ProxyCertificateDelegation => "TLSCertificateDelegation.projectcontour.io",
            _ => self.api().kind,
        }
    }

    /// Whether the kind is of the Gateway API, so that what its schema refuses depends on the bundle.
    pub fn is_gateway_api(self) -> bool {
        self.api().group == GATEWAY_GROUP
    }

    /// The resource's name where kinds stand beside each other, told apart in the same way.
    pub const fn resource(self) -> &'static str {
        match self {
            Self::ProxyCertificateDelegation => "tlscertificatedelegations.projectcontour.io",
            _ => self.api().plural,
        }
    }

    /// Whether the kind is one of Contour's, of its first group or of today's.
    pub fn is_of_contour(self) -> bool {
        [HEPTIO_GROUP, CONTOUR_GROUP].contains(&self.api().group)
    }

    /// Whether others have a kind of this name that is better known: Traefik its IngressRoute, Contour today its TLSCertificateDelegation.
    pub const fn shares_its_name(self) -> bool {
        matches!(self, Self::IngressRoute | Self::TlsCertificateDelegation)
    }

    /// Whether the kind comes as a CRD, so that it may be absent.
    pub const fn is_custom(self) -> bool {
        !matches!(self, Self::Ingress | Self::IngressClass | Self::Service | Self::Namespace)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}

/// Some kinds, as one small value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KindSet(u32);

impl KindSet {
    /// No kind.
    pub const EMPTY: Self = Self(0);

    /// The kinds whose admission reviews are judged.
    pub const JUDGED: Self = {
        let (mut set, mut next) = (Self::EMPTY, 0);
        while next < Kind::ALL.len() {
            if Kind::ALL[next].is_judged() {
                set = set.union(Self::of(&[Kind::ALL[next]]));
            }
            next += 1;
        }
        set
    };

    /// These kinds.
    pub const fn of(kinds: &[Kind]) -> Self {
        let (mut set, mut next) = (0, 0);
        while next < kinds.len() {
            set |= 1 << kinds[next] as u32;
            next += 1;
        }
        Self(set)
    }

    /// The kinds of both.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The kinds of this set that are not in `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether `kind` is among them.
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds, in the order of [`Kind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
}

/// An object's place in the cluster, never its UID: an object that is deleted and created again is the same place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// Its name; empty while the API server has yet to generate one.
    pub name: String,
}

impl ObjectRef {
    /// The place of `name` in `namespace`, the namespace dropped for cluster-scoped kinds.
    pub fn new(kind: Kind, namespace: &str, name: &str) -> Self {
        let namespace = if kind.api().namespaced { namespace } else { "" };
        Self { kind, namespace: namespace.to_owned(), name: name.to_owned() }
    }

    /// The place as it prints, with `kind` in place of its kind's name.
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
