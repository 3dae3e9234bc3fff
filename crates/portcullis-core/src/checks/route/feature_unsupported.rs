//! `route/feature-unsupported`

use crate::checks::feature_uses::{Feature, FeatureUses, report, with_features};
use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::{GatewayClassFacts, ParentFacts};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::filter::{Filter, RequestRedirect, UrlRewrite};
use crate::kinds::http_route::{HttpMatch, HttpRoute, HttpRule};
use crate::kinds::walk::{self, RouteParts};
use crate::kinds::{Kind, Route};
use crate::routing::attachment::default_parents;
use crate::routing::controllers::gateway_class_of;

pub static CHECK: Check = Check {
    id: "route/feature-unsupported",
    needs: &[Kind::Gateway, Kind::ListenerSet, Kind::GatewayClass],
    page: include_str!("feature_unsupported.md"),
    run: Run::RouteParts(check),
    ..Check::reference(Actions::WARN)
};

/// A feature, the field of an element that uses it, and whether that element does.
type Row = (Feature, &'static str, bool);

// The tables follow `pkg/features` of the module `sigs.k8s.io/gateway-api`, and which features the tests of its conformance suite declare.
// Session persistence and external authorization have no feature, and what the protocol of a Service decides is not in the route.

/// What of a rule of an HTTPRoute uses which feature.
fn of_rule(rule: &HttpRule<'_>) -> [Row; 5] {
    const RETRY: Feature =
        &["HTTPRouteRetry", "HTTPRouteRetryBackendTimeout", "HTTPRouteRetryCodes", "HTTPRouteRetryConnectionError"];
    let mirrors = rule.filters.iter().filter(|filter| filter.mirror().is_some()).count();
    let timeouts = rule.timeouts.as_ref();
    [
        (&["HTTPRouteNamedRouteRule"], "name", rule.name.is_some()),
        (&["HTTPRouteRequestMultipleMirrors"], "filters", mirrors > 1),
        (&["HTTPRouteRequestTimeout"], "timeouts.request", timeouts.is_some_and(|timeouts| timeouts.request.is_some())),
        (
            &["HTTPRouteBackendTimeout"],
            "timeouts.backendRequest",
            timeouts.is_some_and(|timeouts| timeouts.backend_request.is_some()),
        ),
        (RETRY, "retry", rule.retry.is_some()),
    ]
}

/// What of a match of an HTTPRoute uses which feature.
fn of_match(matched: &HttpMatch<'_>) -> [Row; 2] {
    [
        (&["HTTPRouteMethodMatching"], "method", matched.method.is_some()),
        (&["HTTPRouteQueryParamMatching"], "queryParams", !matched.query_params.is_empty()),
    ]
}

/// What of a filter of an HTTPRoute, of a rule or of a backend, uses which feature.
fn of_filter(filter: &Filter<'_>) -> [Row; 12] {
    let redirects = |has: fn(&RequestRedirect<'_>) -> bool| filter.redirect().is_some_and(has);
    let rewrites = |has: fn(&UrlRewrite<'_>) -> bool| filter.rewrite().is_some_and(has);
    let mirror = filter.mirror();
    let is_partial = mirror.is_some_and(|mirror| mirror.percent.is_some() || mirror.fraction.is_some());
    [
        (&["HTTPRouteResponseHeaderModification"], "responseHeaderModifier", filter.response_headers().is_some()),
        (&["HTTPRoutePathRedirect"], "requestRedirect.path", redirects(|redirect| redirect.path.is_some())),
        (&["HTTPRoutePortRedirect"], "requestRedirect.port", redirects(|redirect| redirect.port.is_some())),
        (&["HTTPRouteSchemeRedirect"], "requestRedirect.scheme", redirects(|redirect| redirect.scheme.is_some())),
        (
            &["HTTPRoute303RedirectStatusCode"],
            "requestRedirect.statusCode",
            redirects(|redirect| redirect.status_code == Some(303)),
        ),
        (
            &["HTTPRoute307RedirectStatusCode"],
            "requestRedirect.statusCode",
            redirects(|redirect| redirect.status_code == Some(307)),
        ),
        (
            &["HTTPRoute308RedirectStatusCode"],
            "requestRedirect.statusCode",
            redirects(|redirect| redirect.status_code == Some(308)),
        ),
        (&["HTTPRouteHostRewrite"], "urlRewrite.hostname", rewrites(|rewrite| rewrite.hostname.is_some())),
        (&["HTTPRoutePathRewrite"], "urlRewrite.path", rewrites(|rewrite| rewrite.path.is_some())),
        (&["HTTPRouteRequestMirror"], "requestMirror", mirror.is_some() && !is_partial),
        (&["HTTPRouteRequestPercentageMirror"], "requestMirror", is_partial),
        (&["HTTPRouteCORS"], "cors", &*filter.kind == "CORS"),
    ]
}

/// What of a filter of a backend uses a feature that the same filter of a rule does not use.
fn of_backend_filter(filter: &Filter<'_>) -> [Row; 2] {
    [
        (&["HTTPRouteBackendRequestHeaderModification"], "requestHeaderModifier", filter.request_headers().is_some()),
        (&["HTTPRouteBackendURLRewrite"], "urlRewrite", filter.rewrite().is_some()),
    ]
}

/// A reference to a parent with a port.
const PARENT_PORT: Feature = &["HTTPRouteParentRefPort", "HTTPRouteDestinationPortMatching"];
/// A rule of a GRPCRoute with a name.
const NAMED_GRPC_RULE: Feature = &["GRPCRouteNamedRouteRule"];

fn check(parts: &RouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let route = parts.route();
    let class_of = |parent: &ParentFacts| with_features(gateway_class_of(&parent.target, cx.cluster));
    let named = walk::route::parent_refs(&route)
        .filter_map(|(at, parent)| Some((Some(at), ParentFacts::of(parent, cx.namespace())?)));
    let defaults = default_parents(route.uses_default_gateways(), cx.cluster).map(|parent| (None, parent));
    let parents = named
        .chain(defaults)
        .filter_map(|(at, parent)| Some((class_of(&parent)?, at.filter(|_| parent.port.is_some()))));
    let mut parents: Vec<(&GatewayClassFacts, Option<At>)> = parents.collect();
    if parents.is_empty() {
        return;
    }
    // Whatever the order of the parents, the same class is named.
    parents.sort_by_key(|(class, _)| &*class.name);
    let mut uses = FeatureUses::default();
    match route {
        Route::Http(route) => {
            let with_port = parents.iter().filter_map(|(class, at)| Some((class, (*at)?)));
            let mut lacking = with_port.filter(|(class, _)| class.supported_features.lacks(PARENT_PORT));
            if let Some((class, at)) = lacking.next() {
                report(PARENT_PORT, at.then("port"), class, found);
            }
            add_uses(route, parts, &mut uses);
        }
        Route::Grpc(_) => {
            let named = walk::route::rules(&parts.route()).find(|(_, rule)| rule.name.is_some());
            named.into_iter().for_each(|(at, _)| uses.add(NAMED_GRPC_RULE, at.then("name")));
        }
        // What a TLSRoute needs depends on the listener, and the others have no extended features.
        Route::L4(..) => {}
    }
    let classes: Vec<&GatewayClassFacts> = parents.into_iter().map(|(class, _)| class).collect();
    uses.report(&classes, found);
}

fn add_uses(route: &HttpRoute<'_>, parts: &RouteParts<'_, '_>, uses: &mut FeatureUses) {
    for (at, rule, _) in walk::rule::http_rules(route) {
        add(&of_rule(rule), at, uses);
    }
    for (at, matched, _) in walk::rule::http_matches(route) {
        add(&of_match(matched), at, uses);
    }
    // Filters of rules come first in whatever order the rules are, so that an update which reorders them changes no address.
    for site in parts.filters().iter().filter(|site| site.location.backend.is_none()) {
        add(&of_filter(site.filter), site.at(), uses);
    }
    for site in parts.filters().iter().filter(|site| site.location.backend.is_some()) {
        add(&of_filter(site.filter), site.at(), uses);
        add(&of_backend_filter(site.filter), site.at(), uses);
    }
}

fn add(rows: &[Row], at: At, uses: &mut FeatureUses) {
    for (feature, field, _) in rows.iter().filter(|(.., is_used)| *is_used) {
        uses.add(feature, at.child(field));
    }
}
