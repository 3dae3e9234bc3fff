//! The function of a check: one type for each thing that can be judged, and what meets which.

use super::{Context, Operation, Shared};
use crate::finding::Findings;
use crate::kinds::schema::ManifestFaults;
use crate::kinds::walk::{IngressRouteParts, RouteParts};
use crate::kinds::{
    BackendTlsPolicy, Gateway, GatewayClass, GrpcRoute, HttpProxy, HttpRoute, Ingress, IngressClass, IngressRoute,
    Kind, KindSet, L4Route, ListenerSet, Listeners, Metadata, Misfit, Object, ReferenceGrant, Route, Size,
    TlsCertificateDelegation,
};
use crate::matching::Claims;
use crate::routing::Hosts;
use crate::routing::backend::Destination;

/// The function of a check; one type for each thing that can be judged.
#[derive(Debug, Clone, Copy)]
pub enum Run {
    /// An object of any kind.
    Object(fn(&Object<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An object of a kind that can be of any size, and what it was before the update.
    SizeChange(fn(Size, Size, &mut Findings<'_>)),
    /// An Ingress that is written or stored.
    Ingress(fn(&Ingress<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An Ingress and what it was before the update.
    IngressChange(fn(&Ingress<'_>, &Ingress<'_>, &Context<'_>, &mut Findings<'_>)),
    /// The status of a stored Ingress; only the offline doors see it.
    IngressStatus(fn(&Ingress<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An IngressClass that is written or stored.
    IngressClass(fn(&IngressClass<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An IngressClass and what it was before the update.
    IngressClassChange(fn(&IngressClass<'_>, &IngressClass<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An IngressClass that is about to go.
    IngressClassDeletion(fn(&IngressClass<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A GatewayClass that is written or stored.
    GatewayClass(fn(&GatewayClass<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A GatewayClass and what it was before the update.
    GatewayClassChange(fn(&GatewayClass<'_>, &GatewayClass<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A GatewayClass that is about to go.
    GatewayClassDeletion(fn(&GatewayClass<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A Gateway that is written or stored.
    Gateway(fn(&Gateway<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A Gateway and what it was before the update.
    GatewayChange(fn(&Gateway<'_>, &Gateway<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A ListenerSet that is written or stored.
    ListenerSet(fn(&ListenerSet<'_>, &Context<'_>, &mut Findings<'_>)),
    /// The listeners of a Gateway or a ListenerSet.
    Listeners(fn(&Listeners<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// A route of any kind of the Gateway API.
    Route(fn(&Route<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// The same, for checks that walk lists which others walk too.
    RouteParts(fn(&RouteParts<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// The backends of a route, and where they lead.
    Destinations(fn(&[Destination<'_, '_, '_>], &Context<'_>, &mut Findings<'_>)),
    /// An HTTPRoute, for checks that walk such lists.
    HttpRouteParts(fn(&RouteParts<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// An HTTPRoute.
    HttpRoute(fn(&HttpRoute<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A GRPCRoute.
    GrpcRoute(fn(&GrpcRoute<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A TLSRoute, TCPRoute or UDPRoute; which, the object's place says.
    L4Route(fn(&L4Route<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A ReferenceGrant.
    ReferenceGrant(fn(&ReferenceGrant<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A BackendTLSPolicy.
    BackendTlsPolicy(fn(&BackendTlsPolicy<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An IngressRoute that is written or stored.
    IngressRoute(fn(&IngressRoute<'_>, &Context<'_>, &mut Findings<'_>)),
    /// The same, for checks that walk its services, as many do.
    IngressRouteParts(fn(&IngressRouteParts<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// An IngressRoute and what it was before the update.
    IngressRouteChange(fn(&IngressRoute<'_>, &IngressRoute<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An IngressRoute that is about to go.
    IngressRouteDeletion(fn(&IngressRoute<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A TLSCertificateDelegation that is written or stored.
    TlsCertificateDelegation(fn(&TlsCertificateDelegation<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An HTTPProxy that is written or stored.
    HttpProxy(fn(&HttpProxy<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An HTTPProxy and what it was before the update.
    HttpProxyChange(fn(&HttpProxy<'_>, &HttpProxy<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An HTTPProxy that is about to go.
    HttpProxyDeletion(fn(&HttpProxy<'_>, &Context<'_>, &mut Findings<'_>)),
    /// The hosts and paths of an Ingress.
    Claims(fn(&Claims<'_>, &Context<'_>, &mut Findings<'_>)),
    /// The hosts of an object of any kind that claims some.
    Hosts(fn(&Hosts<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// The metadata of an object of any kind.
    Metadata(fn(&Metadata<'_>, &Context<'_>, &mut Findings<'_>)),
    /// What a manifest has that an API server drops or refuses before webhooks are asked; only `lint` sees it.
    Manifest(fn(&ManifestFaults, &Context<'_>, &mut Findings<'_>)),
    /// An object of one of these kinds that could not be read, and why.
    Unreadable(KindSet, fn(&Misfit, &Context<'_>, &mut Findings<'_>)),
}

impl Run {
    /// Whether the check judges objects of `kind`, be it only in one of the operations.
    pub const fn judges(self, kind: Kind) -> bool {
        match self {
            Self::Object(_) => kind.is_judged(),
            Self::SizeChange(_) => {
                use Kind::{HttpProxy, Ingress, IngressRoute, TlsCertificateDelegation};
                matches!(kind, Ingress | IngressRoute | HttpProxy | TlsCertificateDelegation)
            }
            Self::Ingress(_) | Self::IngressChange(_) | Self::IngressStatus(_) | Self::Claims(_) => {
                matches!(kind, Kind::Ingress)
            }
            Self::IngressClass(_) | Self::IngressClassChange(_) | Self::IngressClassDeletion(_) => {
                matches!(kind, Kind::IngressClass)
            }
            Self::GatewayClass(_) | Self::GatewayClassChange(_) | Self::GatewayClassDeletion(_) => {
                matches!(kind, Kind::GatewayClass)
            }
            Self::Hosts(_) => {
                use Kind::{Gateway, GrpcRoute, HttpProxy, HttpRoute, Ingress, IngressRoute, ListenerSet};
                use Kind::{TcpRoute, TlsRoute, UdpRoute};
                matches!(kind, Gateway | ListenerSet | HttpRoute | GrpcRoute | TlsRoute | TcpRoute | UdpRoute)
                    || matches!(kind, Ingress | IngressRoute | HttpProxy)
            }
            Self::Gateway(_) | Self::GatewayChange(_) => matches!(kind, Kind::Gateway),
            Self::ListenerSet(_) => matches!(kind, Kind::ListenerSet),
            Self::Listeners(_) => matches!(kind, Kind::Gateway | Kind::ListenerSet),
            Self::Route(_) | Self::RouteParts(_) | Self::Destinations(_) => {
                use Kind::{GrpcRoute, HttpRoute, TcpRoute, TlsRoute, UdpRoute};
                matches!(kind, HttpRoute | GrpcRoute | TlsRoute | TcpRoute | UdpRoute)
            }
            Self::HttpRoute(_) | Self::HttpRouteParts(_) => matches!(kind, Kind::HttpRoute),
            Self::GrpcRoute(_) => matches!(kind, Kind::GrpcRoute),
            Self::L4Route(_) => matches!(kind, Kind::TlsRoute | Kind::TcpRoute | Kind::UdpRoute),
            Self::ReferenceGrant(_) => matches!(kind, Kind::ReferenceGrant),
            Self::BackendTlsPolicy(_) => matches!(kind, Kind::BackendTlsPolicy),
            Self::IngressRoute(_)
            | Self::IngressRouteParts(_)
            | Self::IngressRouteChange(_)
            | Self::IngressRouteDeletion(_) => matches!(kind, Kind::IngressRoute),
            Self::TlsCertificateDelegation(_) => matches!(kind, Kind::TlsCertificateDelegation),
            Self::HttpProxy(_) | Self::HttpProxyChange(_) | Self::HttpProxyDeletion(_) => {
                matches!(kind, Kind::HttpProxy)
            }
            Self::Metadata(_) => kind.is_judged(),
            Self::Unreadable(..) | Self::Manifest(_) => false,
        }
    }

    /// Whether the check judges an object by itself when this happens to it.
    pub const fn is_for(self, operation: Operation) -> bool {
        match self {
            Self::IngressClassDeletion(_)
            | Self::GatewayClassDeletion(_)
            | Self::IngressRouteDeletion(_)
            | Self::HttpProxyDeletion(_) => matches!(operation, Operation::Delete),
            Self::IngressStatus(_) => matches!(operation, Operation::Stored),
            Self::Unreadable(..) | Self::Manifest(_) => false,
            _ => !self.compares() && !matches!(operation, Operation::Delete),
        }
    }

    /// Whether the check compares an object with what it was.
    pub const fn compares(self) -> bool {
        matches!(
            self,
            Self::SizeChange(_)
                | Self::IngressChange(_)
                | Self::IngressClassChange(_)
                | Self::GatewayClassChange(_)
                | Self::GatewayChange(_)
                | Self::IngressRouteChange(_)
                | Self::HttpProxyChange(_)
        )
    }

    /// Judges an object by itself; what judges another kind finds nothing.
    pub fn judge(self, shared: &Shared<'_, '_, '_>, context: &Context<'_>, found: &mut Findings<'_>) {
        match (self, shared.object()) {
            (Self::Object(check), object) => check(object, context, found),
            (Self::Ingress(check), Object::Ingress(own)) => check(own, context, found),
            (Self::IngressStatus(check), Object::Ingress(own)) => check(own, context, found),
            (Self::IngressClass(check), Object::IngressClass(own)) => check(own, context, found),
            (Self::IngressClassDeletion(check), Object::IngressClass(own)) => check(own, context, found),
            (Self::GatewayClass(check), Object::GatewayClass(own)) => check(own, context, found),
            (Self::GatewayClassDeletion(check), Object::GatewayClass(own)) => check(own, context, found),
            (Self::Gateway(check), Object::Gateway(own)) => check(own, context, found),
            (Self::ListenerSet(check), Object::ListenerSet(own)) => check(own, context, found),
            (Self::HttpRoute(check), Object::HttpRoute(own)) => check(own, context, found),
            (Self::GrpcRoute(check), Object::GrpcRoute(own)) => check(own, context, found),
            (Self::ReferenceGrant(check), Object::ReferenceGrant(own)) => check(own, context, found),
            (Self::BackendTlsPolicy(check), Object::BackendTlsPolicy(own)) => check(own, context, found),
            (Self::IngressRoute(check), Object::IngressRoute(own)) => check(own, context, found),
            (Self::IngressRouteDeletion(check), Object::IngressRoute(own)) => check(own, context, found),
            (Self::TlsCertificateDelegation(check), Object::TlsCertificateDelegation(own)) => {
                check(own, context, found)
            }
            (Self::HttpProxy(check), Object::HttpProxy(own)) => check(own, context, found),
            (Self::HttpProxyDeletion(check), Object::HttpProxy(own)) => check(own, context, found),
            (Self::L4Route(check), Object::TlsRoute(own) | Object::TcpRoute(own) | Object::UdpRoute(own)) => {
                check(own, context, found);
            }
            (Self::Listeners(check), object) => {
                if let Some(listeners) = object.listeners() {
                    check(&listeners, context, found);
                }
            }
            (Self::Route(check), object) => {
                if let Some(route) = object.route() {
                    check(&route, context, found);
                }
            }
            (Self::RouteParts(check), _) | (Self::HttpRouteParts(check), Object::HttpRoute(_)) => {
                if let Some(parts) = shared.parts() {
                    check(parts, context, found);
                }
            }
            (Self::IngressRouteParts(check), _) => {
                if let Some(route) = shared.ingress_route() {
                    check(route, context, found);
                }
            }
            (Self::Destinations(check), _) => {
                if let Some(destinations) = shared.destinations() {
                    check(destinations, context, found);
                }
            }
            (Self::Claims(check), _) => {
                if let Some(claims) = shared.claims() {
                    check(claims, context, found);
                }
            }
            (Self::Hosts(check), _) => check(&shared.hosts(), context, found),
            (Self::Metadata(check), object) => check(object.metadata(), context, found),
            _ => {}
        }
    }

    /// Judges the step from `old` to `object`.
    pub fn judge_change(self, object: &Object<'_>, old: &Object<'_>, context: &Context<'_>, found: &mut Findings<'_>) {
        match (self, object, old) {
            (Self::SizeChange(check), new, old) => {
                if let (Some(new), Some(old)) = (Size::of(new), Size::of(old)) {
                    check(new, old, found);
                }
            }
            (Self::IngressChange(check), Object::Ingress(new), Object::Ingress(old)) => check(new, old, context, found),
            (Self::IngressClassChange(check), Object::IngressClass(new), Object::IngressClass(old)) => {
                check(new, old, context, found)
            }
            (Self::GatewayClassChange(check), Object::GatewayClass(new), Object::GatewayClass(old)) => {
                check(new, old, context, found)
            }
            (Self::GatewayChange(check), Object::Gateway(new), Object::Gateway(old)) => check(new, old, context, found),
            (Self::IngressRouteChange(check), Object::IngressRoute(new), Object::IngressRoute(old)) => {
                check(new, old, context, found)
            }
            (Self::HttpProxyChange(check), Object::HttpProxy(new), Object::HttpProxy(old)) => {
                check(new, old, context, found)
            }
            _ => {}
        }
    }
}
