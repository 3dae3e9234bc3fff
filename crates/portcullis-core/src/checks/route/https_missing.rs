//! `route/https-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::ParentFacts;
use crate::finding::Findings;
use crate::kinds::{Kind, Route, walk};
use crate::matching::Host;
use crate::matching::mark::is_solver_route;
use crate::routing::attachment::{Attachment, RouteSubject};

pub static CHECK: Check = Check {
    id: "route/https-missing",
    needs: &[Kind::Gateway, Kind::ListenerSet, Kind::Namespace],
    page: include_str!("https_missing.md"),
    requires_https: true,
    run: Run::Route(check),
    ..Check::policy(Actions::OFF)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // An ACME server sends plain-text requests, because the certificate does not exist yet.
    if route.is_l4() || is_solver_route(route) || only_redirects(route) {
        return;
    }
    let hosts: Vec<Host<'_>> = route.hostnames().iter().map(|host| Host::parse(host)).collect();
    let subject = RouteSubject { kind: route.kind(), namespace: cx.namespace(), hosts: &hosts };
    for (at, parent) in walk::route::parent_refs(route) {
        let Some(facts) = ParentFacts::of(parent, cx.namespace()) else { continue };
        let plain = listeners("HTTP", subject, &facts, cx);
        if plain.is_empty() {
            continue;
        }
        let secure = listeners("HTTPS", subject, &ParentFacts { section: None, port: None, ..facts.clone() }, cx);
        let secure = secure.first().copied();
        let finding = found.forbidden(at, &facts.target.to_string(), template(route, secure.is_some()));
        finding.without_args().redactable(&named(&plain), "a listener").other(&facts.target);
        if let Some(secure) = secure {
            finding.redactable(secure, "a listener for HTTPS");
        }
    }
}

/// Whether every request gets a redirect to HTTPS.
fn only_redirects(route: &Route<'_, '_>) -> bool {
    let Route::Http(route) = route else { return false };
    route.spec.rules().iter().all(|rule| {
        let mut redirects = rule.filters.iter().filter_map(|filter| filter.redirect());
        rule.backend_refs.is_empty() && redirects.any(|redirect| redirect.scheme.as_deref() == Some("https"))
    })
}

/// The names of the listeners with a protocol that accept the route.
fn listeners<'c>(protocol: &str, route: RouteSubject<'_>, reference: &ParentFacts, cx: &Context<'c>) -> Vec<&'c str> {
    let attachment = Attachment::of(route, reference, cx.cluster);
    let accepting = attachment.accepting().filter(|listener| *listener.protocol == *protocol);
    accepting.map(|listener| &*listener.name).collect()
}

fn named(listeners: &[&str]) -> String {
    format!("listener{} {}", if listeners.len() == 1 { "" } else { "s" }, listeners.join(", "))
}

/// The message, depending on what would be right.
fn template(route: &Route<'_, '_>, has_secure: bool) -> &'static str {
    match (matches!(route, Route::Http(_)), has_secure) {
        (true, true) => "served over plain HTTP by {other} ({}): set sectionName to {}, or only redirect to https",
        (false, true) => "served over plain HTTP by {other} ({}): set sectionName to {}",
        (true, false) => "served over plain HTTP by {other} ({}): add an HTTPS listener, or only redirect to https",
        (false, false) => "served over plain HTTP by {other} ({}): add an HTTPS listener",
    }
}
