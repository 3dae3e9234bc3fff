//! The function of a check: when it judges, and what it is given.

use super::{Context, Operation, ReviewSubjects};
use crate::finding::Findings;
use crate::kinds::walk::{IngressRouteParts, RouteParts};
use crate::kinds::{
    BackendTlsPolicy, Gateway, GatewayClass, HttpProxy, HttpRoute, Ingress, IngressClass, IngressRoute, Kind, KindSet,
    L4Route, ListenerSet, Listeners, Metadata, Object, ReferenceGrant, Route, Size,
};
use crate::matching::Claims;
use crate::routing::Hosts;
use crate::routing::backend::Destination;
use crate::validation::Test;

/// When a check judges.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Whenever the object exists: it is created, updated, or stored already.
    Exists,
    /// When the object is updated, compared with what it was.
    Update,
    /// When the object is deleted.
    Delete,
    /// When the object is stored already: only the commands that read files or a cluster see it.
    Stored,
}

impl When {
    /// Whether an object is judged by itself when this happens to it.
    pub const fn is_for(self, operation: Operation) -> bool {
        match self {
            Self::Exists => !matches!(operation, Operation::Delete),
            Self::Update => false,
            Self::Delete => matches!(operation, Operation::Delete),
            Self::Stored => matches!(operation, Operation::Stored),
        }
    }
}

/// The function of a check, by what it is given.
#[derive(Debug, Clone, Copy)]
pub enum Run {
    /// A rule about one object by itself.
    Rule(Test),
    /// An object of any kind.
    Object(fn(&Object<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An object and what it was before the update.
    Change(Change),
    /// An Ingress.
    Ingress(fn(&Ingress<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An IngressClass.
    IngressClass(fn(&IngressClass<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A GatewayClass.
    GatewayClass(fn(&GatewayClass<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A Gateway.
    Gateway(fn(&Gateway<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A ListenerSet.
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
    /// A TLSRoute, TCPRoute or UDPRoute; which, the object's place says.
    L4Route(fn(&L4Route<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A ReferenceGrant.
    ReferenceGrant(fn(&ReferenceGrant<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A BackendTLSPolicy.
    BackendTlsPolicy(fn(&BackendTlsPolicy<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An IngressRoute.
    IngressRoute(fn(&IngressRoute<'_>, &Context<'_>, &mut Findings<'_>)),
    /// The same, for checks that walk its services, as many do.
    IngressRouteParts(fn(&IngressRouteParts<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// An HTTPProxy.
    HttpProxy(fn(&HttpProxy<'_>, &Context<'_>, &mut Findings<'_>)),
    /// The hosts and paths of an Ingress.
    Claims(fn(&Claims<'_>, &Context<'_>, &mut Findings<'_>)),
    /// The hosts of an object of any kind that claims some.
    Hosts(fn(&Hosts<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// The metadata of an object of any kind.
    Metadata(fn(&Metadata<'_>, &Context<'_>, &mut Findings<'_>)),
}

/// The function of a check that compares an object with what it was before the update.
#[derive(Debug, Clone, Copy)]
pub enum Change {
    /// The size of an object of a kind that can be of any size.
    Size(fn(Size, Size, &mut Findings<'_>)),
    /// An Ingress.
    Ingress(fn(&Ingress<'_>, &Ingress<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An IngressClass.
    IngressClass(fn(&IngressClass<'_>, &IngressClass<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A GatewayClass.
    GatewayClass(fn(&GatewayClass<'_>, &GatewayClass<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A Gateway.
    Gateway(fn(&Gateway<'_>, &Gateway<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An IngressRoute.
    IngressRoute(fn(&IngressRoute<'_>, &IngressRoute<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An HTTPProxy.
    HttpProxy(fn(&HttpProxy<'_>, &HttpProxy<'_>, &Context<'_>, &mut Findings<'_>)),
}

/// The kinds whose lists have no limit in their schemas.
const SIZED: KindSet =
    KindSet::of(&[Kind::Ingress, Kind::IngressRoute, Kind::HttpProxy, Kind::TlsCertificateDelegation]);
/// The kinds of layer 4 routes.
const L4_ROUTES: KindSet = KindSet::of(&[Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute]);
/// The kinds of routes of the Gateway API.
const ROUTES: KindSet = KindSet::of(&[Kind::HttpRoute, Kind::GrpcRoute]).union(L4_ROUTES);
/// The kinds with listeners.
const LISTENERS: KindSet = KindSet::of(&[Kind::Gateway, Kind::ListenerSet]);
/// The kinds that claim hosts.
const HOSTS: KindSet =
    KindSet::of(&[Kind::Ingress, Kind::IngressRoute, Kind::HttpProxy]).union(LISTENERS).union(ROUTES);

impl Run {
    /// The kinds of which objects are judged; none where something else is judged than an object that can be read.
    pub const fn kinds(self) -> KindSet {
        match self {
            Self::Rule(test) => test.kinds(),
            Self::Object(_) | Self::Metadata(_) => KindSet::JUDGED,
            Self::Change(change) => change.kinds(),
            Self::Ingress(_) | Self::Claims(_) => KindSet::of(&[Kind::Ingress]),
            Self::IngressClass(_) => KindSet::of(&[Kind::IngressClass]),
            Self::GatewayClass(_) => KindSet::of(&[Kind::GatewayClass]),
            Self::Gateway(_) => KindSet::of(&[Kind::Gateway]),
            Self::ListenerSet(_) => KindSet::of(&[Kind::ListenerSet]),
            Self::Listeners(_) => LISTENERS,
            Self::Route(_) | Self::RouteParts(_) | Self::Destinations(_) => ROUTES,
            Self::HttpRouteParts(_) | Self::HttpRoute(_) => KindSet::of(&[Kind::HttpRoute]),
            Self::L4Route(_) => L4_ROUTES,
            Self::ReferenceGrant(_) => KindSet::of(&[Kind::ReferenceGrant]),
            Self::BackendTlsPolicy(_) => KindSet::of(&[Kind::BackendTlsPolicy]),
            Self::IngressRoute(_) | Self::IngressRouteParts(_) => KindSet::of(&[Kind::IngressRoute]),
            Self::HttpProxy(_) => KindSet::of(&[Kind::HttpProxy]),
            Self::Hosts(_) => HOSTS,
        }
    }

    /// Whether it judges a manifest, as it is written, and not an object.
    pub const fn is_of_manifest(self) -> bool {
        matches!(self, Self::Rule(Test::Manifest(_)))
    }

    /// Judges an object by itself; a check of another kind, or of another thing than an object, finds nothing.
    pub fn judge(self, shared: &ReviewSubjects<'_, '_, '_>, context: &Context<'_>, found: &mut Findings<'_>) {
        let object = shared.object();
        /// Calls the check if the object is of this kind.
        macro_rules! judge {
            ($kind:ident, $check:ident) => {
                if let Object::$kind(own) = object {
                    $check(own, context, found);
                }
            };
        }
        match self {
            Self::Rule(test) => run_test(test, shared, found),
            Self::Object(check) => check(object, context, found),
            Self::Ingress(check) => judge!(Ingress, check),
            Self::IngressClass(check) => judge!(IngressClass, check),
            Self::GatewayClass(check) => judge!(GatewayClass, check),
            Self::Gateway(check) => judge!(Gateway, check),
            Self::ListenerSet(check) => judge!(ListenerSet, check),
            Self::HttpRoute(check) => judge!(HttpRoute, check),
            Self::ReferenceGrant(check) => judge!(ReferenceGrant, check),
            Self::BackendTlsPolicy(check) => judge!(BackendTlsPolicy, check),
            Self::IngressRoute(check) => judge!(IngressRoute, check),
            Self::HttpProxy(check) => judge!(HttpProxy, check),
            Self::L4Route(check) => {
                if let Object::TlsRoute(own) | Object::TcpRoute(own) | Object::UdpRoute(own) = object {
                    check(own, context, found);
                }
            }
            Self::Listeners(check) => {
                if let Some(listeners) = object.listeners() {
                    check(&listeners, context, found);
                }
            }
            Self::Route(check) => {
                if let Some(route) = object.route() {
                    check(&route, context, found);
                }
            }
            Self::RouteParts(check) | Self::HttpRouteParts(check) => {
                if let Some(parts) = shared.parts().filter(|_| self.kinds().contains(object.kind())) {
                    check(parts, context, found);
                }
            }
            Self::IngressRouteParts(check) => {
                if let Some(route) = shared.ingress_route() {
                    check(route, context, found);
                }
            }
            Self::Destinations(check) => {
                if let Some(destinations) = shared.destinations() {
                    check(destinations, context, found);
                }
            }
            Self::Claims(check) => {
                if let Some(claims) = shared.claims() {
                    check(claims, context, found);
                }
            }
            Self::Hosts(check) => check(&shared.hosts(), context, found),
            Self::Metadata(check) => check(object.metadata(), context, found),
            Self::Change(_) => {}
        }
    }
}

/// Runs the test of a rule on an object; a test of another kind finds nothing.
fn run_test(test: Test, shared: &ReviewSubjects<'_, '_, '_>, found: &mut Findings<'_>) {
    let object = shared.object();
    /// Runs the test if the object is of this kind.
    macro_rules! run {
        ($kind:ident, $test:ident) => {
            if let Object::$kind(own) = object {
                $test(own, found);
            }
        };
    }
    match test {
        Test::Object(test) => test(object, found),
        Test::HttpProxy(test) => run!(HttpProxy, test),
        Test::Ingress(test) | Test::IngressStatus(test) => run!(Ingress, test),
        Test::Claims(test) => {
            if let Some(claims) = shared.claims() {
                test(claims, found);
            }
        }
        Test::IngressClass(test) => run!(IngressClass, test),
        Test::Route(test) => {
            if let Some(route) = object.route() {
                test(&route, found);
            }
        }
        Test::RouteParts(test) => {
            if let Some(parts) = shared.parts() {
                test(parts, found);
            }
        }
        Test::HttpRouteParts(test) => {
            if let (Object::HttpRoute(_), Some(parts)) = (object, shared.parts()) {
                test(parts, found);
            }
        }
        Test::HttpRoute(test) => run!(HttpRoute, test),
        Test::GrpcRoute(test) => run!(GrpcRoute, test),
        Test::TlsRoute(test) => run!(TlsRoute, test),
        Test::IngressRoute(test) => run!(IngressRoute, test),
        Test::GatewayClass(test) => run!(GatewayClass, test),
        Test::Gateway(test) => run!(Gateway, test),
        Test::ListenerSet(test) => run!(ListenerSet, test),
        Test::ReferenceGrant(test) => run!(ReferenceGrant, test),
        Test::BackendTlsPolicy(test) => run!(BackendTlsPolicy, test),
        Test::TlsCertificateDelegation(test) => run!(TlsCertificateDelegation, test),
        Test::IngressRouteParts(test) => {
            if let Some(route) = shared.ingress_route() {
                test(route, found);
            }
        }
        Test::Listeners(test) => {
            if let Some(listeners) = object.listeners() {
                test(&listeners, found);
            }
        }
        Test::Manifest(_) | Test::Unreadable(..) => {}
    }
}

impl Change {
    const fn kinds(self) -> KindSet {
        match self {
            Self::Size(_) => SIZED,
            Self::Ingress(_) => KindSet::of(&[Kind::Ingress]),
            Self::IngressClass(_) => KindSet::of(&[Kind::IngressClass]),
            Self::GatewayClass(_) => KindSet::of(&[Kind::GatewayClass]),
            Self::Gateway(_) => KindSet::of(&[Kind::Gateway]),
            Self::IngressRoute(_) => KindSet::of(&[Kind::IngressRoute]),
            Self::HttpProxy(_) => KindSet::of(&[Kind::HttpProxy]),
        }
    }

    /// Judges the step from `old` to `new`; objects of another kind have no findings.
    pub fn judge(self, new: &Object<'_>, old: &Object<'_>, context: &Context<'_>, found: &mut Findings<'_>) {
        /// Calls the check if both objects are of this kind.
        macro_rules! judge {
            ($kind:ident, $check:ident) => {
                if let (Object::$kind(new), Object::$kind(old)) = (new, old) {
                    $check(new, old, context, found);
                }
            };
        }
        match self {
            Self::Size(check) => {
                if let (Some(new), Some(old)) = (Size::of(new), Size::of(old)) {
                    check(new, old, found);
                }
            }
            Self::Ingress(check) => judge!(Ingress, check),
            Self::IngressClass(check) => judge!(IngressClass, check),
            Self::GatewayClass(check) => judge!(GatewayClass, check),
            Self::Gateway(check) => judge!(Gateway, check),
            Self::IngressRoute(check) => judge!(IngressRoute, check),
            Self::HttpProxy(check) => judge!(HttpProxy, check),
        }
    }
}
