//! When a check runs, and its function by what it takes.

use super::{Context, Input, Operation, ReviewSubjects};
use crate::finding::Findings;
use crate::kinds::walk::{IngressRouteParts, RouteParts, SecretUses};
use crate::kinds::{
    BackendTlsPolicy, Gateway, GatewayClass, HostClaim, HttpProxy, HttpRoute, Ingress, IngressClass, IngressRoute,
    Kind, KindSet, L4Route, ListenerSet, Listeners, Metadata, Object, ReferenceGrant, Route, Size,
};
use crate::matching::Claims;
use crate::routing::Hosts;
use crate::routing::backend::Destination;
use crate::validation::RuleFn;

/// When a check runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Whenever the object exists: it is created, updated, or already stored.
    Exists,
    /// When the object is updated; the check compares it with [`Context::old`].
    Update,
    /// When the object is deleted.
    Delete,
    /// When the object is already stored, which only the commands that read files or a cluster see.
    Stored,
    /// When the review is given up because it takes too long, instead of the checks that have not run.
    GivenUp,
}

impl When {
    /// Whether a check of one object (without the old one) runs on this operation.
    pub const fn is_for(self, operation: Operation) -> bool {
        match self {
            Self::Exists => !matches!(operation, Operation::Delete),
            Self::Update => false,
            Self::Delete => matches!(operation, Operation::Delete),
            Self::Stored => matches!(operation, Operation::Stored),
            Self::GivenUp => false,
        }
    }
}

/// The function of a check, by what it takes.
#[derive(Debug, Clone, Copy)]
pub enum Run {
    /// A rule about one object.
    Rule(RuleFn),
    /// An object of any kind.
    Object(fn(&Object<'_>, &Context<'_>, &mut Findings<'_>)),
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
    /// A route with the lists that several checks walk, which are collected once per review.
    RouteParts(fn(&RouteParts<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// The backends of a route, each with its resolution.
    Destinations(fn(&[Destination<'_, '_, '_>], &Context<'_>, &mut Findings<'_>)),
    /// An HTTPRoute, with the same lists.
    HttpRouteParts(fn(&RouteParts<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// An HTTPRoute.
    HttpRoute(fn(&HttpRoute<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A TLSRoute, TCPRoute or UDPRoute; [`Context::this`] has the kind.
    L4Route(fn(&L4Route<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A ReferenceGrant.
    ReferenceGrant(fn(&ReferenceGrant<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A BackendTLSPolicy.
    BackendTlsPolicy(fn(&BackendTlsPolicy<'_>, &Context<'_>, &mut Findings<'_>)),
    /// A HostClaim.
    HostClaim(fn(&HostClaim<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An IngressRoute.
    IngressRoute(fn(&IngressRoute<'_>, &Context<'_>, &mut Findings<'_>)),
    /// An IngressRoute with its services, which are collected once per review.
    IngressRouteParts(fn(&IngressRouteParts<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// An HTTPProxy.
    HttpProxy(fn(&HttpProxy<'_>, &Context<'_>, &mut Findings<'_>)),
    /// The hosts and paths of an Ingress.
    Claims(fn(&Claims<'_>, &Context<'_>, &mut Findings<'_>)),
    /// The hosts of an object of any kind that claims hosts.
    Hosts(fn(&Hosts<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// The Secrets from which an object serves hosts over TLS, if any Certificate is known that may fill them.
    SecretUses(fn(&SecretUses<'_, '_>, &Context<'_>, &mut Findings<'_>)),
    /// The metadata of an object of any kind.
    Metadata(fn(&Metadata<'_>, &Context<'_>, &mut Findings<'_>)),
    /// The size of an object whose schema does not limit it.
    Size(fn(Size, &Context<'_>, &mut Findings<'_>)),
}

/// The kinds whose schemas do not limit the length of lists.
const SIZED: KindSet =
    KindSet::of(&[Kind::Ingress, Kind::IngressRoute, Kind::HttpProxy, Kind::TlsCertificateDelegation]);
/// The kinds of layer 4 routes.
const L4_ROUTES: KindSet = KindSet::of(&[Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute]);
/// The kinds with listeners.
const LISTENERS: KindSet = KindSet::of(&[Kind::Gateway, Kind::ListenerSet]);
/// The kinds of which [`SecretUses`] lists the Secrets.
const SECRET_USES: KindSet = KindSet::of(&[Kind::Ingress]).union(LISTENERS);
/// The kinds that claim hosts.
const HOSTS: KindSet =
    KindSet::of(&[Kind::Ingress, Kind::IngressRoute, Kind::HttpProxy]).union(LISTENERS).union(KindSet::ROUTES);

impl Run {
    /// The kinds of objects that are checked. Empty if the input is not a decoded object.
    pub const fn kinds(self) -> KindSet {
        match self {
            Self::Rule(test) => test.kinds(),
            Self::Object(_) | Self::Metadata(_) => KindSet::VALIDATED,
            Self::Ingress(_) | Self::Claims(_) => KindSet::of(&[Kind::Ingress]),
            Self::IngressClass(_) => KindSet::of(&[Kind::IngressClass]),
            Self::GatewayClass(_) => KindSet::of(&[Kind::GatewayClass]),
            Self::Gateway(_) => KindSet::of(&[Kind::Gateway]),
            Self::ListenerSet(_) => KindSet::of(&[Kind::ListenerSet]),
            Self::Listeners(_) => LISTENERS,
            Self::Route(_) | Self::RouteParts(_) | Self::Destinations(_) => KindSet::ROUTES,
            Self::HttpRouteParts(_) | Self::HttpRoute(_) => KindSet::of(&[Kind::HttpRoute]),
            Self::L4Route(_) => L4_ROUTES,
            Self::ReferenceGrant(_) => KindSet::of(&[Kind::ReferenceGrant]),
            Self::BackendTlsPolicy(_) => KindSet::of(&[Kind::BackendTlsPolicy]),
            Self::HostClaim(_) => KindSet::of(&[Kind::HostClaim]),
            Self::IngressRoute(_) | Self::IngressRouteParts(_) => KindSet::of(&[Kind::IngressRoute]),
            Self::HttpProxy(_) => KindSet::of(&[Kind::HttpProxy]),
            Self::Hosts(_) => HOSTS,
            Self::Size(_) => SIZED,
            Self::SecretUses(_) => SECRET_USES,
        }
    }

    /// Whether it checks a manifest as written instead of a decoded object.
    pub const fn is_of_manifest(self) -> bool {
        matches!(self, Self::Rule(RuleFn::Manifest(_)))
    }

    /// Whether it reports what cannot be decoded of an object of `kind`.
    pub const fn is_of_unreadable(self, kind: Kind) -> bool {
        matches!(self, Self::Rule(RuleFn::Unreadable(kinds, _)) if kinds.contains(kind))
    }

    /// Checks `input`. Does nothing if the check is for another kind, or for another sort of input.
    pub fn check(self, input: &Input<'_, '_, '_>, context: &Context<'_>, found: &mut Findings<'_>) {
        let kind = context.this.kind;
        let shared = match (input, self) {
            (Input::Object(shared), _) => shared,
            (Input::Manifest(manifest, _), Self::Rule(RuleFn::Manifest(test))) => return test(manifest, kind, found),
            (Input::Unreadable(partial), Self::Rule(RuleFn::Unreadable(_, test))) => {
                return partial.decode_errors.iter().for_each(|error| test(error, kind, found));
            }
            _ => return,
        };
        let object = shared.object();
        /// Calls the check if the object has this kind.
        macro_rules! call {
            ($check:ident on $($kind:ident)|+) => {
                if let $(Object::$kind(own))|+ = object { $check(own, context, found); }
            };
            ($check:ident on Some($part:expr)) => {
                if let Some(part) = $part { $check(part, context, found); }
            };
        }
        let is_of_kind = |_: &&RouteParts<'_, '_>| self.kinds().contains(object.kind());
        match self {
            Self::Rule(test) => run_test(test, shared, found),
            Self::Object(check) => check(object, context, found),
            Self::SecretUses(_) if context.cluster.has_no_certificate() => {}
            Self::SecretUses(check) => call!(check on Some(shared.secret_uses())),
            Self::Ingress(check) => call!(check on Ingress),
            Self::IngressClass(check) => call!(check on IngressClass),
            Self::GatewayClass(check) => call!(check on GatewayClass),
            Self::Gateway(check) => call!(check on Gateway),
            Self::ListenerSet(check) => call!(check on ListenerSet),
            Self::HttpRoute(check) => call!(check on HttpRoute),
            Self::L4Route(check) => call!(check on TlsRoute | TcpRoute | UdpRoute),
            Self::ReferenceGrant(check) => call!(check on ReferenceGrant),
            Self::BackendTlsPolicy(check) => call!(check on BackendTlsPolicy),
            Self::HostClaim(check) => call!(check on HostClaim),
            Self::IngressRoute(check) => call!(check on IngressRoute),
            Self::HttpProxy(check) => call!(check on HttpProxy),
            Self::Listeners(check) => call!(check on Some(&object.listeners())),
            Self::Route(check) => call!(check on Some(&object.route())),
            Self::RouteParts(check) | Self::HttpRouteParts(check) => {
                call!(check on Some(shared.parts().filter(is_of_kind)));
            }
            Self::IngressRouteParts(check) => call!(check on Some(shared.ingress_route())),
            Self::Destinations(check) => call!(check on Some(shared.destinations())),
            Self::Claims(check) => call!(check on Some(shared.claims())),
            Self::Hosts(check) => check(&shared.hosts(), context, found),
            Self::Metadata(check) => check(object.metadata(), context, found),
            Self::Size(check) => call!(check on Some(Size::of(object))),
        }
    }
}

/// Runs the test of a rule on an object. Does nothing if the test is for another kind.
fn run_test(test: RuleFn, shared: &ReviewSubjects<'_, '_, '_>, found: &mut Findings<'_>) {
    let object = shared.object();
    /// Runs the test if the object has this kind.
    macro_rules! run {
        ($test:ident on Some($part:expr)) => {
            if let Some(part) = $part {
                $test(part, found);
            }
        };
        ($test:ident on $kind:ident) => {
            if let Object::$kind(own) = object {
                $test(own, found);
            }
        };
    }
    let is_http = |_: &&RouteParts<'_, '_>| matches!(object, Object::HttpRoute(_));
    match test {
        RuleFn::Object(test) => test(object, found),
        RuleFn::Ingress(test) | RuleFn::IngressStatus(test) => run!(test on Ingress),
        RuleFn::IngressClass(test) => run!(test on IngressClass),
        RuleFn::GatewayClass(test) => run!(test on GatewayClass),
        RuleFn::Gateway(test) => run!(test on Gateway),
        RuleFn::ListenerSet(test) => run!(test on ListenerSet),
        RuleFn::HttpRoute(test) => run!(test on HttpRoute),
        RuleFn::GrpcRoute(test) => run!(test on GrpcRoute),
        RuleFn::TlsRoute(test) => run!(test on TlsRoute),
        RuleFn::ReferenceGrant(test) => run!(test on ReferenceGrant),
        RuleFn::BackendTlsPolicy(test) => run!(test on BackendTlsPolicy),
        RuleFn::HostClaim(test) => run!(test on HostClaim),
        RuleFn::IngressRoute(test) => run!(test on IngressRoute),
        RuleFn::TlsCertificateDelegation(test) => run!(test on TlsCertificateDelegation),
        RuleFn::HttpProxy(test) => run!(test on HttpProxy),
        RuleFn::Claims(test) => run!(test on Some(shared.claims())),
        RuleFn::Listeners(test) => run!(test on Some(&object.listeners())),
        RuleFn::Route(test) => run!(test on Some(&object.route())),
        RuleFn::RouteParts(test) => run!(test on Some(shared.parts())),
        RuleFn::HttpRouteParts(test) => run!(test on Some(shared.parts().filter(is_http))),
        RuleFn::IngressRouteParts(test) => run!(test on Some(shared.ingress_route())),
        RuleFn::Manifest(_) | RuleFn::Unreadable(..) => {}
    }
}
