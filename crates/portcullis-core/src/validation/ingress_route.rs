//! The rules for an IngressRoute itself. If a rule that invalidates the object is violated, the status is `invalid` and
//! the object serves nothing.

mod services;

use std::iter;

use hashbrown::HashSet;

use services::{
    health_check, port_range, service_duplicate, service_ref, service_spelling, strategy, unknown_field, weight_mixed,
    weight_range,
};

use super::{Rule, RuleFn, rule, validators as must};
use crate::field::{At, Child};
use crate::finding::{Actions, Finding, Findings};
use crate::kinds::ingress_route::{TLS_VERSIONS, VirtualHostTls};
use crate::kinds::walk::{IngressRouteParts, ingress_route as walk};
use crate::kinds::{IngressRoute, Kind, KindSet};

/// The rules for an IngressRoute. The status shows the first violation in this order.
pub const RULES: &[Rule] = &[
    Rule::invalidates(
        "ingress-route/fqdn-missing",
        include_str!("../checks/ingress_route/fqdn_missing.md"),
        RuleFn::IngressRoute(|route, found| {
            found.each(fqdn(route), must::be_set("the hostname of the root is required, such as shop.example.com"))
        }),
    ),
    Rule::invalidates(
        "ingress-route/fqdn-wildcard",
        include_str!("../checks/ingress_route/fqdn_wildcard.md"),
        RuleFn::IngressRoute(|route, found| found.each(fqdn(route), must::be_one_host)),
    ),
    Rule::invalidates(
        "ingress-route/fqdn-malformed",
        include_str!("../checks/ingress_route/fqdn_malformed.md"),
        RuleFn::IngressRoute(|route, found| {
            found.each(fqdn(route).filter(|(_, fqdn)| !fqdn.trim().is_empty() && !fqdn.contains('*')), must::hostname)
        }),
    ),
    Rule::invalidates(
        "ingress-route/tls-passthrough-invalid",
        include_str!("../checks/ingress_route/tls_passthrough_invalid.md"),
        RuleFn::IngressRoute(tls_passthrough),
    ),
    Rule::invalidates(
        "ingress-route/tls-secret-missing",
        include_str!("../checks/ingress_route/tls_secret_missing.md"),
        RuleFn::IngressRoute(|route, found| {
            found.each(tls_secret(route), must::be_set("a Secret with the certificate and key of the host is required"))
        }),
    ),
    Rule::invalidates(
        "ingress-route/tls-secret-malformed",
        include_str!("../checks/ingress_route/tls_secret_malformed.md"),
        RuleFn::IngressRoute(|route, found| found.each(tls_secret(route), must::object_reference)),
    ),
    Rule::invalidates(
        "ingress-route/tls-version-unknown",
        include_str!("../checks/ingress_route/tls_version_unknown.md"),
        RuleFn::IngressRoute(tls_min_version),
    ),
    Rule::invalidates(
        "ingress-route/strategy-unknown",
        include_str!("../checks/ingress_route/strategy_unknown.md"),
        RuleFn::IngressRouteParts(strategy),
    ),
    Rule::invalidates(
        "ingress-route/health-check-malformed",
        include_str!("../checks/ingress_route/health_check_malformed.md"),
        RuleFn::IngressRouteParts(health_check),
    ),
    Rule::invalidates(
        "ingress-route/routes-missing",
        include_str!("../checks/ingress_route/routes_missing.md"),
        RuleFn::IngressRoute(routes_non_empty),
    ),
    Rule::invalidates(
        "ingress-route/match-not-absolute",
        include_str!("../checks/ingress_route/match_not_absolute.md"),
        RuleFn::IngressRoute(match_slash),
    ),
    Rule::invalidates(
        "ingress-route/match-invalid-character",
        include_str!("../checks/ingress_route/match_invalid_character.md"),
        RuleFn::IngressRoute(match_chars),
    ),
    Rule::invalidates(
        "ingress-route/match-duplicate",
        include_str!("../checks/ingress_route/match_duplicate.md"),
        RuleFn::IngressRoute(match_duplicate),
    ),
    Rule::invalidates(
        "ingress-route/services-misspelled",
        include_str!("../checks/ingress_route/services_misspelled.md"),
        RuleFn::IngressRoute(service_spelling),
    ),
    Rule::invalidates(
        "ingress-route/route-action-invalid",
        include_str!("../checks/ingress_route/route_action_invalid.md"),
        RuleFn::IngressRoute(route_action),
    ),
    Rule::invalidates(
        "ingress-route/tcpproxy-invalid",
        include_str!("../checks/ingress_route/tcpproxy_invalid.md"),
        RuleFn::IngressRoute(tcpproxy),
    ),
    Rule::invalidates(
        "ingress-route/delegate-ref-malformed",
        include_str!("../checks/ingress_route/delegate_ref_malformed.md"),
        RuleFn::IngressRoute(delegate_ref),
    ),
    Rule::invalidates(
        "ingress-route/self-delegation",
        include_str!("../checks/ingress_route/self_delegation.md"),
        RuleFn::IngressRoute(self_delegation),
    ),
    Rule::invalidates(
        "ingress-route/service-name-malformed",
        include_str!("../checks/ingress_route/service_name_malformed.md"),
        RuleFn::IngressRouteParts(service_ref),
    ),
    Rule::invalidates(
        "ingress-route/port-out-of-range",
        include_str!("../checks/ingress_route/port_out_of_range.md"),
        RuleFn::IngressRouteParts(port_range),
    ),
    Rule::invalidates(
        "ingress-route/weight-out-of-range",
        include_str!("../checks/ingress_route/weight_out_of_range.md"),
        RuleFn::IngressRoute(weight_range),
    ),
    Rule::invalidates(
        "ingress-route/prefix-rewrite-malformed",
        include_str!("../checks/ingress_route/prefix_rewrite_malformed.md"),
        RuleFn::IngressRoute(|route, found| found.each(rewrites(route), must::absolute_path)),
    ),
    Rule::invalidates(
        "ingress-route/timeout-malformed",
        include_str!("../checks/ingress_route/timeout_malformed.md"),
        RuleFn::IngressRoute(|route, found| found.each(request_timeouts(route), must::go_duration_or_infinity)),
    ),
    Rule::invalidates(
        "ingress-route/retry-malformed",
        include_str!("../checks/ingress_route/retry_malformed.md"),
        RuleFn::IngressRoute(retries),
    ),
    Rule::reported(
        "ingress-route/shape-mismatch",
        include_str!("../checks/ingress_route/shape_mismatch.md"),
        Actions::DENY,
        RuleFn::Unreadable(KindSet::of(&[Kind::IngressRoute]), |error, _, found| {
            found.invalid(error.at.clone(), &error.message, "cannot be read as IngressRoute: {}");
        }),
    ),
    Rule::reported(
        "ingress-route/service-duplicate",
        include_str!("../checks/ingress_route/service_duplicate.md"),
        Actions::WARN,
        RuleFn::IngressRoute(service_duplicate),
    ),
    Rule::reported(
        "ingress-route/weight-mixed",
        include_str!("../checks/ingress_route/weight_mixed.md"),
        Actions::WARN,
        RuleFn::IngressRoute(weight_mixed),
    ),
    Rule::reported(
        "ingress-route/unknown-field",
        include_str!("../checks/ingress_route/unknown_field.md"),
        Actions::WARN,
        RuleFn::IngressRouteParts(unknown_field),
    ),
];

/// The first violation that invalidates `route`; `None` if the object by itself is valid.
///
/// ```
/// use portcullis_core::kinds::{Kind, Object, decode};
/// use portcullis_core::validation::ingress_route;
///
/// let json = r#"{"metadata": {"namespace": "web", "name": "shop"}, "spec": {"virtualhost": {"fqdn": "*.example.com"},
///     "routes": [{"match": "/", "services": [{"name": "web", "port": 80}]}]}}"#;
/// let Object::IngressRoute(route) = decode(Kind::IngressRoute, json)? else { unreachable!() };
/// let error = ingress_route::first_error(&route).expect("a root cannot have a wildcard");
/// assert_eq!((error.check, error.at.to_string().as_str()), ("ingress-route/fqdn-wildcard", "spec.virtualhost.fqdn"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn first_error(route: &IngressRoute<'_>) -> Option<Finding> {
    let parts = IngressRouteParts::of(route);
    rule::errors(RULES, |test, found| match test {
        RuleFn::IngressRoute(test) => test(route, found),
        RuleFn::IngressRouteParts(test) => test(&parts, found),
        // This table contains no tests for other kinds.
        _ => {}
    })
    .next()
}

/// The hostname of a root.
fn fqdn<'o>(route: &'o IngressRoute<'_>) -> impl Iterator<Item = (At, &'o str)> {
    route.spec.virtualhost.iter().map(|host| (At::field("spec.virtualhost.fqdn"), &*host.fqdn))
}

fn tls<'o, 'a>(route: &'o IngressRoute<'a>) -> Option<&'o VirtualHostTls<'a>> {
    route.spec.virtualhost.as_ref()?.tls.as_ref()
}

/// The Secret of a root that terminates TLS, as written.
fn tls_secret<'o>(route: &'o IngressRoute<'_>) -> impl Iterator<Item = (At, &'o str)> {
    let at = At::field("spec.virtualhost.tls.secretName");
    tls(route).filter(|tls| !tls.passthrough).into_iter().map(move |tls| (at, &*tls.secret_name))
}

fn tls_passthrough(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    let at = At::field("spec.virtualhost.tls.passthrough");
    let Some(tls) = tls(route).filter(|tls| tls.passthrough) else { return };
    if !tls.secret_name.is_empty() {
        let template = "passthrough must not be set together with secretName `{}`: remove one of them";
        found.invalid(at, &tls.secret_name, template);
    } else if route.spec.tcpproxy.is_none() {
        found.invalid(at, "true", "passthrough requires spec.tcpproxy, whose services receive the connections");
    }
}

fn tls_min_version(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    let at = At::field("spec.virtualhost.tls.minimumProtocolVersion");
    let Some(version) = tls(route).and_then(|tls| tls.minimum_protocol_version.as_ref()) else { return };
    let template = "`{}` is not supported: use \"1.1\", \"1.2\" or \"1.3\"";
    found.each(iter::once((at, &*version.text)), must::one_of(&TLS_VERSIONS, template));
    if version.is_bare && TLS_VERSIONS.contains(&&*version.text) {
        let template = "{} is a number: put it in quotes, since other readers accept only strings";
        found.invalid(at, &version.text, template).only_warns();
    }
}

fn routes_non_empty(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    if route.spec.routes.is_empty() && route.spec.tcpproxy.is_none() {
        found.required(At::field("spec.routes"), "at least one route is required; without one nothing is served");
    }
}

/// The prefix of each route.
fn matches<'o>(route: &'o IngressRoute<'_>) -> impl Iterator<Item = (Child, &'o str)> {
    walk::routes(route).map(|(at, path)| (at.child("match"), path.prefix()))
}

fn match_slash(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    found.each(matches(route), must::be_set("a path prefix is required; use `/` for all paths"));
    found.each(matches(route), must::absolute_path);
}

fn match_chars(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    let is_plain = |byte: u8| matches!(byte, b'!'..=b'~') && !matches!(byte, b'?' | b'#' | b'.');
    for (at, prefix) in matches(route).filter(|(_, prefix)| !prefix.bytes().all(is_plain)) {
        if let Err(invalid) = must::have_no_white_space(prefix) {
            found.add(invalid.cause, at, prefix, invalid.template);
        } else if let Some(template) = never_matches(prefix) {
            found.invalid(at, prefix, template).only_warns();
        }
    }
}

/// Why no request can match `prefix` although Contour accepts it.
fn never_matches(prefix: &str) -> Option<&'static str> {
    if prefix.contains('?') {
        return Some("`{}` contains `?`: a path is matched without its query, so no request matches");
    }
    if prefix.contains('#') {
        return Some("`{}` contains `#`: clients do not send fragments, so no request matches");
    }
    let has_parent = prefix.split('/').any(|segment| segment == "..");
    has_parent.then_some("`{}` contains `..`, which proxies resolve before they match paths")
}

fn match_duplicate(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::with_capacity(route.spec.routes.len());
    for (at, prefix) in matches(route).filter(|(_, prefix)| prefix.starts_with('/')) {
        if !seen.insert(prefix.trim_end_matches('/')) {
            found.duplicate(at, prefix, "`{}` is already the match of another route; merge the two routes");
        }
    }
}

fn route_action(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    for (at, path) in walk::routes(route) {
        match (path.services().1.is_empty(), &path.delegate) {
            (true, None) => {
                found.invalid(at, path.prefix(), "route `{}` has neither services nor a delegate: set one of them");
            }
            (false, Some(_)) => {
                found.invalid(at, path.prefix(), "route `{}` has both services and a delegate: remove one of them");
            }
            _ => {}
        }
    }
}

fn tcpproxy(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    let at = At::field("spec.tcpproxy");
    let Some(tcp) = &route.spec.tcpproxy else { return };
    match (tcp.services.is_empty(), &tcp.delegate) {
        (true, None) => {
            found.invalid(at, "none", "tcpproxy has neither services nor a delegate: set one of them");
        }
        (false, Some(_)) => {
            found.invalid(at, "both", "tcpproxy has both services and a delegate: remove one of them");
        }
        _ => {}
    }
    if route.spec.virtualhost.as_ref().is_some_and(|host| host.tls.is_none()) {
        let template = "tcpproxy requires TLS, because the host is selected by SNI: set spec.virtualhost.tls";
        found.invalid(at, "plain", template);
    }
}

fn delegate_ref(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    let names = || walk::delegates(route).map(|(at, delegate)| (at.child("name"), &*delegate.name));
    found.each(names(), must::be_set("the name of an IngressRoute is required"));
    found.each(names(), must::dns_subdomain);
    let namespaces = walk::delegates(route)
        .filter_map(|(at, delegate)| Some((at.child("namespace"), delegate.namespace.as_deref()?)));
    found.each(namespaces, must::dns_label);
}

fn self_delegation(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    let (own, name) = (route.metadata.namespace(), route.metadata.name());
    for (at, delegate) in walk::delegates(route).filter(|(_, delegate)| !delegate.name.is_empty()) {
        if delegate.namespace_from(own) == own && *delegate.name == *name {
            found.invalid(at, name, "`{}` delegates to itself: name another IngressRoute or give the route services");
        }
    }
}

fn rewrites<'o>(route: &'o IngressRoute<'_>) -> impl Iterator<Item = (Child, &'o str)> {
    walk::routes(route).filter_map(|(at, path)| Some((at.child("prefixRewrite"), path.prefix_rewrite.as_deref()?)))
}

fn request_timeouts<'o>(route: &'o IngressRoute<'_>) -> impl Iterator<Item = (Child, &'o str)> {
    walk::routes(route).filter_map(|(at, path)| {
        let request = path.timeout_policy.as_ref()?.request.as_deref()?;
        Some((at.child("timeoutPolicy.request"), request))
    })
}

fn retries(route: &IngressRoute<'_>, found: &mut Findings<'_>) {
    let policies = || walk::routes(route).filter_map(|(at, path)| Some((at, path.retry_policy.as_ref()?)));
    let counts = policies().filter_map(|(at, policy)| Some((at.child("retryPolicy.count"), policy.count?)));
    found.each(counts, must::not_be_negative);
    let attempts = policies()
        .filter_map(|(at, policy)| Some((at.child("retryPolicy.perTryTimeout"), policy.per_try_timeout.as_deref()?)));
    found.each(attempts, must::go_duration);
}
