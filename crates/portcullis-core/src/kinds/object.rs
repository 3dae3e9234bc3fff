//! An object of any supported kind, and its decoding.

use serde::{Deserialize, Deserializer, de::DeserializeSeed};

use super::ingress::Classes;
use super::{
    BackendTlsPolicy, Certificate, Gateway, GatewayClass, GrpcRoute, HostClaim, HostRequest, HttpProxy, HttpRoute,
    Ingress, IngressClass, IngressRoute, Kind, L4Route, ListenerSet, Listeners, Metadata, Namespace, ObjectRef,
    ReferenceGrant, Route, Service, TlsCertificateDelegation,
};

/// A decoded object of one of the supported kinds.
#[allow(clippy::large_enum_variant, reason = "there is one a review, and a box for each would cost more")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object<'a> {
    /// An Ingress.
    Ingress(Ingress<'a>),
    /// An IngressClass.
    IngressClass(IngressClass<'a>),
    /// A Service.
    Service(Service<'a>),
    /// A Namespace.
    Namespace(Namespace<'a>),
    /// A GatewayClass.
    GatewayClass(GatewayClass<'a>),
    /// A Gateway.
    Gateway(Gateway<'a>),
    /// A ListenerSet.
    ListenerSet(ListenerSet<'a>),
    /// An HTTPRoute.
    HttpRoute(HttpRoute<'a>),
    /// A GRPCRoute.
    GrpcRoute(GrpcRoute<'a>),
    /// A TLSRoute.
    TlsRoute(L4Route<'a>),
    /// A TCPRoute.
    TcpRoute(L4Route<'a>),
    /// A UDPRoute.
    UdpRoute(L4Route<'a>),
    /// A ReferenceGrant.
    ReferenceGrant(ReferenceGrant<'a>),
    /// A BackendTLSPolicy.
    BackendTlsPolicy(BackendTlsPolicy<'a>),
    /// An IngressRoute.
    IngressRoute(IngressRoute<'a>),
    /// A TLSCertificateDelegation.
    TlsCertificateDelegation(TlsCertificateDelegation<'a>),
    /// An HTTPProxy.
    HttpProxy(HttpProxy<'a>),
    /// A TLSCertificateDelegation for HTTPProxies.
    ProxyCertificateDelegation(TlsCertificateDelegation<'a>),
    /// A HostClaim.
    HostClaim(HostClaim<'a>),
    /// A HostRequest.
    HostRequest(HostRequest<'a>),
    /// A Certificate.
    Certificate(Certificate<'a>),
}

impl<'a> Object<'a> {
    /// The classes that may serve the object, if its kind has classes that settings select by.
    pub fn classes(&self) -> Classes<'_> {
        match self {
            Self::Ingress(ingress) => ingress.classes(),
            Self::IngressRoute(route) => Classes::of(route.class()),
            Self::HttpProxy(proxy) => Classes::of(proxy.class()),
            _ => Classes::default(),
        }
    }

    /// The object's metadata.
    pub fn metadata(&self) -> &Metadata<'a> {
        match self {
            Self::Ingress(object) => &object.metadata,
            Self::IngressClass(object) => &object.metadata,
            Self::Service(object) => &object.metadata,
            Self::Namespace(object) => &object.metadata,
            Self::GatewayClass(object) => &object.metadata,
            Self::Gateway(object) => &object.metadata,
            Self::ListenerSet(object) => &object.metadata,
            Self::HttpRoute(object) => &object.metadata,
            Self::GrpcRoute(object) => &object.metadata,
            Self::ReferenceGrant(object) => &object.metadata,
            Self::BackendTlsPolicy(object) => &object.metadata,
            Self::IngressRoute(object) => &object.metadata,
            Self::TlsCertificateDelegation(object) | Self::ProxyCertificateDelegation(object) => &object.metadata,
            Self::HttpProxy(object) => &object.metadata,
            Self::HostClaim(object) => &object.metadata,
            Self::HostRequest(object) => &object.metadata,
            Self::Certificate(object) => &object.metadata,
            Self::TlsRoute(object) | Self::TcpRoute(object) | Self::UdpRoute(object) => &object.metadata,
        }
    }

    /// The object's kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Ingress(_) => Kind::Ingress,
            Self::IngressClass(_) => Kind::IngressClass,
            Self::Service(_) => Kind::Service,
            Self::Namespace(_) => Kind::Namespace,
            Self::GatewayClass(_) => Kind::GatewayClass,
            Self::Gateway(_) => Kind::Gateway,
            Self::ListenerSet(_) => Kind::ListenerSet,
            Self::HttpRoute(_) => Kind::HttpRoute,
            Self::GrpcRoute(_) => Kind::GrpcRoute,
            Self::TlsRoute(_) => Kind::TlsRoute,
            Self::TcpRoute(_) => Kind::TcpRoute,
            Self::UdpRoute(_) => Kind::UdpRoute,
            Self::ReferenceGrant(_) => Kind::ReferenceGrant,
            Self::BackendTlsPolicy(_) => Kind::BackendTlsPolicy,
            Self::IngressRoute(_) => Kind::IngressRoute,
            Self::TlsCertificateDelegation(_) => Kind::TlsCertificateDelegation,
            Self::HttpProxy(_) => Kind::HttpProxy,
            Self::ProxyCertificateDelegation(_) => Kind::ProxyCertificateDelegation,
            Self::HostClaim(_) => Kind::HostClaim,
            Self::HostRequest(_) => Kind::HostRequest,
            Self::Certificate(_) => Kind::Certificate,
        }
    }

    /// The reference to the object.
    pub fn object_ref(&self) -> ObjectRef {
        let metadata = self.metadata();
        ObjectRef::new(self.kind(), metadata.namespace(), metadata.name())
    }

    /// The object as a route, if its kind is a route of the Gateway API.
    pub fn route(&self) -> Option<Route<'_, 'a>> {
        match self {
            Self::HttpRoute(route) => Some(Route::Http(route)),
            Self::GrpcRoute(route) => Some(Route::Grpc(route)),
            Self::TlsRoute(route) | Self::TcpRoute(route) | Self::UdpRoute(route) => {
                Some(Route::L4(self.kind(), route))
            }
            _ => None,
        }
    }

    /// The object's listeners, if its kind has any.
    pub fn listeners(&self) -> Option<Listeners<'_, 'a>> {
        match self {
            Self::Gateway(gateway) => Some(gateway.listeners()),
            Self::ListenerSet(set) => Some(set.listeners()),
            _ => None,
        }
    }

    /// Whether both have the same `spec`. Returns false for kinds that are not validated.
    pub fn same_spec(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Ingress(new), Self::Ingress(old)) => new.spec == old.spec,
            (Self::IngressClass(new), Self::IngressClass(old)) => new.spec == old.spec,
            (Self::GatewayClass(new), Self::GatewayClass(old)) => new.spec == old.spec,
            (Self::Gateway(new), Self::Gateway(old)) => new.spec == old.spec,
            (Self::ListenerSet(new), Self::ListenerSet(old)) => new.spec == old.spec,
            (Self::HttpRoute(new), Self::HttpRoute(old)) => new.spec == old.spec,
            (Self::GrpcRoute(new), Self::GrpcRoute(old)) => new.spec == old.spec,
            (Self::TlsRoute(new), Self::TlsRoute(old))
            | (Self::TcpRoute(new), Self::TcpRoute(old))
            | (Self::UdpRoute(new), Self::UdpRoute(old)) => new.spec == old.spec,
            (Self::ReferenceGrant(new), Self::ReferenceGrant(old)) => new.spec == old.spec,
            (Self::BackendTlsPolicy(new), Self::BackendTlsPolicy(old)) => new.spec == old.spec,
            (Self::IngressRoute(new), Self::IngressRoute(old)) => new.spec == old.spec,
            (Self::TlsCertificateDelegation(new), Self::TlsCertificateDelegation(old)) => new.spec == old.spec,
            (Self::HttpProxy(new), Self::HttpProxy(old)) => new.spec == old.spec,
            (Self::HostClaim(new), Self::HostClaim(old)) => new.spec == old.spec,
            _ => false,
        }
    }
}

/// Decodes `json` as an object of `kind`. The error says which part has the wrong shape.
///
/// ```
/// use portcullis_core::kinds::{Kind, Object, decode};
///
/// let json = r#"{"metadata": {"name": "nginx"}, "spec": {"controller": "k8s.io/ingress-nginx", "unknown": true}}"#;
/// let Object::IngressClass(class) = decode(Kind::IngressClass, json)? else { unreachable!() };
/// assert_eq!(class.metadata.name.as_deref(), Some("nginx"));
/// assert!(decode(Kind::IngressClass, r#"{"metadata": []}"#).is_err());
/// # Ok::<(), serde_json::Error>(())
/// ```
pub fn decode(kind: Kind, json: &str) -> serde_json::Result<Object<'_>> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let object = ObjectSeed(kind).deserialize(&mut reader)?;
    reader.end()?;
    Ok(object)
}

/// Decodes an object whose kind is known in advance, in a single pass over the text.
#[derive(Debug, Clone, Copy)]
pub struct ObjectSeed(pub Kind);

impl<'de> DeserializeSeed<'de> for ObjectSeed {
    type Value = Object<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Object<'de>, D::Error> {
        match self.0 {
            Kind::Ingress => Deserialize::deserialize(deserializer).map(Object::Ingress),
            Kind::IngressClass => Deserialize::deserialize(deserializer).map(Object::IngressClass),
            Kind::Service => Deserialize::deserialize(deserializer).map(Object::Service),
            Kind::Namespace => Deserialize::deserialize(deserializer).map(Object::Namespace),
            Kind::GatewayClass => Deserialize::deserialize(deserializer).map(Object::GatewayClass),
            Kind::Gateway => Deserialize::deserialize(deserializer).map(Object::Gateway),
            Kind::ListenerSet => Deserialize::deserialize(deserializer).map(Object::ListenerSet),
            Kind::HttpRoute => Deserialize::deserialize(deserializer).map(Object::HttpRoute),
            Kind::GrpcRoute => Deserialize::deserialize(deserializer).map(Object::GrpcRoute),
            Kind::TlsRoute => Deserialize::deserialize(deserializer).map(Object::TlsRoute),
            Kind::TcpRoute => Deserialize::deserialize(deserializer).map(Object::TcpRoute),
            Kind::UdpRoute => Deserialize::deserialize(deserializer).map(Object::UdpRoute),
            Kind::ReferenceGrant => Deserialize::deserialize(deserializer).map(Object::ReferenceGrant),
            Kind::BackendTlsPolicy => Deserialize::deserialize(deserializer).map(Object::BackendTlsPolicy),
            Kind::IngressRoute => Deserialize::deserialize(deserializer).map(Object::IngressRoute),
            Kind::TlsCertificateDelegation => {
                Deserialize::deserialize(deserializer).map(Object::TlsCertificateDelegation)
            }
            Kind::HttpProxy => Deserialize::deserialize(deserializer).map(Object::HttpProxy),
            Kind::ProxyCertificateDelegation => {
                Deserialize::deserialize(deserializer).map(Object::ProxyCertificateDelegation)
            }
            Kind::HostClaim => Deserialize::deserialize(deserializer).map(Object::HostClaim),
            Kind::HostRequest => Deserialize::deserialize(deserializer).map(Object::HostRequest),
            Kind::Certificate => Deserialize::deserialize(deserializer).map(Object::Certificate),
        }
    }
}
