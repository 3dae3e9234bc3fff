//! What a rule is: an id, a page, what its findings do, and a test of one object.

use crate::bundle::Enforced;
use crate::config::Theme;
use crate::finding::{Action, Actions, Finding, Findings};
use crate::kinds::schema::ManifestErrors;
use crate::kinds::walk::{IngressRouteParts, RouteParts};
use crate::kinds::{
    BackendTlsPolicy, DecodeError, Gateway, GatewayClass, GrpcRoute, HttpProxy, HttpRoute, Ingress, IngressClass,
    IngressRoute, Kind, KindSet, L4Route, ListenerSet, Listeners, Object, ReferenceGrant, Route,
    TlsCertificateDelegation,
};
use crate::matching::Claims;

/// A rule about one object by itself.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// `family/fault`; shown in messages, configuration and metrics, and never used again once retired.
    pub id: &'static str,
    /// What the rule is, why, what to do, and examples that run as tests.
    pub page: &'static str,
    /// What the rule is about.
    pub theme: Theme,
    /// What its findings do in each profile.
    pub actions: Actions,
    /// Since when the schema of a CRD rejects the same, so that the gate need not test it again.
    pub enforced: Option<Enforced>,
    /// What a broken rule means for the object.
    pub effect: Effect,
    /// What is tested.
    pub test: Test,
}

impl Rule {
    /// A rule that makes the controller reject the whole object.
    pub const fn invalidates(id: &'static str, page: &'static str, test: Test) -> Self {
        Self { effect: Effect::Invalidates, ..Self::reported(id, page, Actions::DENY, test) }
    }

    /// A rule that only the gate reports.
    pub const fn reported(id: &'static str, page: &'static str, actions: Actions, test: Test) -> Self {
        Self { id, page, theme: Theme::Shape, actions, enforced: None, effect: Effect::Reported, test }
    }
}

/// What a broken rule means for the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The controller rejects the object: its status is `invalid` and it serves nothing. Findings that only warn never do this.
    Invalidates,
    /// The object is served as far as it can be.
    Reported,
}

/// The test of a rule, by the view type that it looks at.
#[derive(Debug, Clone, Copy)]
pub enum Test {
    /// An object of any kind.
    Object(fn(&Object<'_>, &mut Findings<'_>)),
    /// An object of one of these kinds that could not be read, and why.
    Unreadable(KindSet, fn(&DecodeError, Kind, &mut Findings<'_>)),
    /// What a manifest of this kind has that an API server drops or rejects before webhooks are asked; only `lint` sees it.
    Manifest(fn(&ManifestErrors, Kind, &mut Findings<'_>)),
    /// An Ingress.
    Ingress(fn(&Ingress<'_>, &mut Findings<'_>)),
    /// The status of an Ingress, which only the commands that read stored objects see.
    IngressStatus(fn(&Ingress<'_>, &mut Findings<'_>)),
    /// The hosts and paths of an Ingress.
    Claims(fn(&Claims<'_>, &mut Findings<'_>)),
    /// An IngressClass.
    IngressClass(fn(&IngressClass<'_>, &mut Findings<'_>)),
    /// A route of any kind of the Gateway API.
    Route(fn(&Route<'_, '_>, &mut Findings<'_>)),
    /// The same, for tests that walk lists which others walk too.
    RouteParts(fn(&RouteParts<'_, '_>, &mut Findings<'_>)),
    /// An HTTPRoute.
    HttpRoute(fn(&HttpRoute<'_>, &mut Findings<'_>)),
    /// The same, for tests that walk lists which others walk too.
    HttpRouteParts(fn(&RouteParts<'_, '_>, &mut Findings<'_>)),
    /// A GRPCRoute.
    GrpcRoute(fn(&GrpcRoute<'_>, &mut Findings<'_>)),
    /// A TLSRoute.
    TlsRoute(fn(&L4Route<'_>, &mut Findings<'_>)),
    /// An IngressRoute.
    IngressRoute(fn(&IngressRoute<'_>, &mut Findings<'_>)),
    /// The same, for tests that walk its services, as many do.
    IngressRouteParts(fn(&IngressRouteParts<'_, '_>, &mut Findings<'_>)),
    /// An HTTPProxy.
    HttpProxy(fn(&HttpProxy<'_>, &mut Findings<'_>)),
    /// A GatewayClass.
    GatewayClass(fn(&GatewayClass<'_>, &mut Findings<'_>)),
    /// A Gateway.
    Gateway(fn(&Gateway<'_>, &mut Findings<'_>)),
    /// A ListenerSet.
    ListenerSet(fn(&ListenerSet<'_>, &mut Findings<'_>)),
    /// The listeners of a Gateway or a ListenerSet.
    Listeners(fn(&Listeners<'_, '_>, &mut Findings<'_>)),
    /// A ReferenceGrant.
    ReferenceGrant(fn(&ReferenceGrant<'_>, &mut Findings<'_>)),
    /// A TLSCertificateDelegation.
    TlsCertificateDelegation(fn(&TlsCertificateDelegation<'_>, &mut Findings<'_>)),
    /// A BackendTLSPolicy.
    BackendTlsPolicy(fn(&BackendTlsPolicy<'_>, &mut Findings<'_>)),
}

/// The kinds of routes of the Gateway API.
const ROUTES: KindSet =
    KindSet::of(&[Kind::HttpRoute, Kind::GrpcRoute, Kind::TlsRoute, Kind::TcpRoute, Kind::UdpRoute]);

impl Test {
    /// The kinds of which objects are tested; none where something else is tested than an object.
    pub const fn kinds(self) -> KindSet {
        match self {
            Self::Object(_) => KindSet::JUDGED,
            Self::Manifest(_) | Self::Unreadable(..) => KindSet::EMPTY,
            Self::Ingress(_) | Self::IngressStatus(_) | Self::Claims(_) => KindSet::of(&[Kind::Ingress]),
            Self::IngressClass(_) => KindSet::of(&[Kind::IngressClass]),
            Self::Route(_) | Self::RouteParts(_) => ROUTES,
            Self::HttpRoute(_) | Self::HttpRouteParts(_) => KindSet::of(&[Kind::HttpRoute]),
            Self::GrpcRoute(_) => KindSet::of(&[Kind::GrpcRoute]),
            Self::TlsRoute(_) => KindSet::of(&[Kind::TlsRoute]),
            Self::IngressRoute(_) | Self::IngressRouteParts(_) => KindSet::of(&[Kind::IngressRoute]),
            Self::HttpProxy(_) => KindSet::of(&[Kind::HttpProxy]),
            Self::GatewayClass(_) => KindSet::of(&[Kind::GatewayClass]),
            Self::Gateway(_) => KindSet::of(&[Kind::Gateway]),
            Self::ListenerSet(_) => KindSet::of(&[Kind::ListenerSet]),
            Self::Listeners(_) => KindSet::of(&[Kind::Gateway, Kind::ListenerSet]),
            Self::ReferenceGrant(_) => KindSet::of(&[Kind::ReferenceGrant]),
            Self::TlsCertificateDelegation(_) => KindSet::of(&[Kind::TlsCertificateDelegation]),
            Self::BackendTlsPolicy(_) => KindSet::of(&[Kind::BackendTlsPolicy]),
        }
    }
}

/// What invalidates the object on which `run` runs a test, rule by rule as the iterator advances.
pub(super) fn errors<'r>(
    rules: &'r [Rule],
    run: impl Fn(Test, &mut Findings<'_>) + 'r,
) -> impl Iterator<Item = Finding> + 'r {
    rules.iter().filter(|rule| rule.effect == Effect::Invalidates).flat_map(move |rule| {
        let mut all = Vec::new();
        run(rule.test, &mut Findings::of(rule.id, &mut all));
        all.into_iter().filter(|finding| finding.at_most == Action::Deny)
    })
}
