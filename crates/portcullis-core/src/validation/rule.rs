//! The definition of a rule: an id, a page, the actions of its findings, and a test of one object.

use crate::bundle::Enforced;
use crate::config::Theme;
use crate::finding::{Action, Actions, Finding, Findings};
use crate::kinds::schema::ManifestErrors;
use crate::kinds::walk::{IngressRouteParts, RouteParts};
use crate::kinds::{
    BackendTlsPolicy, DecodeError, Gateway, GatewayClass, GrpcRoute, HostClaim, HttpProxy, HttpRoute, Ingress,
    IngressClass, IngressRoute, Kind, KindSet, L4Route, ListenerSet, Listeners, Object, ReferenceGrant, Route,
    TlsCertificateDelegation,
};
use crate::matching::Claims;

/// A rule about one object itself.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    /// The id `family/fault`. It appears in messages, configuration and metrics, and is never reused after the rule is
    /// retired.
    pub id: &'static str,
    /// The documentation page: the rule, its reason, the fix, and examples that run as tests.
    pub page: &'static str,
    /// The topic of the rule.
    pub theme: Theme,
    /// The action for its findings in each profile.
    pub actions: Actions,
    /// The release since which the schema of a CRD rejects the same fault, so that the webhook need not test it again.
    pub enforced: Option<Enforced>,
    /// The effect of a violation on the object.
    pub effect: Effect,
    /// The test.
    pub test: RuleFn,
}

impl Rule {
    /// Returns a rule whose violation makes the controller reject the whole object.
    pub const fn invalidates(id: &'static str, page: &'static str, test: RuleFn) -> Self {
        Self { effect: Effect::Invalidates, ..Self::reported(id, page, Actions::DENY, test) }
    }

    /// Returns a rule whose violation is only reported by Portcullis.
    pub const fn reported(id: &'static str, page: &'static str, actions: Actions, test: RuleFn) -> Self {
        Self { id, page, theme: Theme::Shape, actions, enforced: None, effect: Effect::Reported, test }
    }
}

/// The effect of a violation on the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The controller rejects the object, or the listener that violates the rule: its status says so, and it serves
    /// nothing. Findings that only warn never have this effect.
    Invalidates,
    /// The object is served as far as possible.
    Reported,
}

/// The test of a rule, by the view type that it inspects.
#[derive(Debug, Clone, Copy)]
pub enum RuleFn {
    /// Tests an object of any kind.
    Object(fn(&Object<'_>, &mut Findings<'_>)),
    /// Tests an object of one of these kinds that could not be decoded, given the error.
    Unreadable(KindSet, fn(&DecodeError, Kind, &mut Findings<'_>)),
    /// Tests the parts of a manifest that an API server would drop or reject before it calls webhooks. Only `lint` runs
    /// it.
    Manifest(fn(&ManifestErrors, Kind, &mut Findings<'_>)),
    /// Tests an Ingress.
    Ingress(fn(&Ingress<'_>, &mut Findings<'_>)),
    /// Tests the status of an Ingress. Only the commands that read stored objects run it.
    IngressStatus(fn(&Ingress<'_>, &mut Findings<'_>)),
    /// Tests the hosts and paths of an Ingress.
    Claims(fn(&Claims<'_>, &mut Findings<'_>)),
    /// Tests an IngressClass.
    IngressClass(fn(&IngressClass<'_>, &mut Findings<'_>)),
    /// Tests a route of any kind of the Gateway API.
    Route(fn(&Route<'_, '_>, &mut Findings<'_>)),
    /// Tests a route of any kind, using lists that are computed once for several tests.
    RouteParts(fn(&RouteParts<'_, '_>, &mut Findings<'_>)),
    /// Tests an HTTPRoute.
    HttpRoute(fn(&HttpRoute<'_>, &mut Findings<'_>)),
    /// Tests an HTTPRoute, using lists that are computed once for several tests.
    HttpRouteParts(fn(&RouteParts<'_, '_>, &mut Findings<'_>)),
    /// Tests a GRPCRoute.
    GrpcRoute(fn(&GrpcRoute<'_>, &mut Findings<'_>)),
    /// Tests a TLSRoute.
    TlsRoute(fn(&L4Route<'_>, &mut Findings<'_>)),
    /// Tests an IngressRoute.
    IngressRoute(fn(&IngressRoute<'_>, &mut Findings<'_>)),
    /// Tests an IngressRoute, using lists that are computed once for several tests.
    IngressRouteParts(fn(&IngressRouteParts<'_, '_>, &mut Findings<'_>)),
    /// Tests an HTTPProxy.
    HttpProxy(fn(&HttpProxy<'_>, &mut Findings<'_>)),
    /// Tests a GatewayClass.
    GatewayClass(fn(&GatewayClass<'_>, &mut Findings<'_>)),
    /// Tests a Gateway.
    Gateway(fn(&Gateway<'_>, &mut Findings<'_>)),
    /// Tests a ListenerSet.
    ListenerSet(fn(&ListenerSet<'_>, &mut Findings<'_>)),
    /// Tests the listeners of a Gateway or a ListenerSet.
    Listeners(fn(&Listeners<'_, '_>, &mut Findings<'_>)),
    /// Tests a ReferenceGrant.
    ReferenceGrant(fn(&ReferenceGrant<'_>, &mut Findings<'_>)),
    /// Tests a TLSCertificateDelegation.
    TlsCertificateDelegation(fn(&TlsCertificateDelegation<'_>, &mut Findings<'_>)),
    /// Tests a BackendTLSPolicy.
    BackendTlsPolicy(fn(&BackendTlsPolicy<'_>, &mut Findings<'_>)),
    /// Tests a HostClaim.
    HostClaim(fn(&HostClaim<'_>, &mut Findings<'_>)),
}

impl RuleFn {
    /// The kinds whose objects are tested; empty for tests that do not inspect a decoded object.
    pub const fn kinds(self) -> KindSet {
        match self {
            Self::Object(_) => KindSet::VALIDATED,
            Self::Manifest(_) | Self::Unreadable(..) => KindSet::EMPTY,
            Self::Ingress(_) | Self::IngressStatus(_) | Self::Claims(_) => KindSet::of(&[Kind::Ingress]),
            Self::IngressClass(_) => KindSet::of(&[Kind::IngressClass]),
            Self::Route(_) | Self::RouteParts(_) => KindSet::ROUTES,
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
            Self::HostClaim(_) => KindSet::of(&[Kind::HostClaim]),
        }
    }
}

/// The violations that invalidate the object that `run` tests. Each rule is tested only when the iterator reaches it.
pub(super) fn errors<'r>(
    rules: &'r [Rule],
    run: impl Fn(RuleFn, &mut Findings<'_>) + 'r,
) -> impl Iterator<Item = Finding> + 'r {
    rules.iter().filter(|rule| rule.effect == Effect::Invalidates).flat_map(move |rule| {
        let mut all = Vec::new();
        run(rule.test, &mut Findings::of(rule.id, &mut all));
        all.into_iter().filter(|finding| finding.at_most == Action::Deny)
    })
}
