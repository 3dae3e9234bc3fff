//! `route/https-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::ParentFacts;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, ObjectRef, Route, walk};
use crate::matching::Host;
use crate::matching::mark::is_solver_route;
use crate::routing::attachment::{Attachment, RouteSubject, default_parents};

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
    let named: Vec<(At, ParentFacts)> = walk::route::parent_refs(route)
        .filter_map(|(at, parent)| Some((at, ParentFacts::of(parent, cx.namespace())?)))
        .collect();
    for (at, parent) in &named {
        let plain = listeners("HTTP", subject, parent, cx);
        if !plain.is_empty() {
            let fix = Fix::of(parent, &named, subject, cx);
            report(*at, &parent.target, &plain, fix, (route, found));
        }
    }
    for gateway in default_parents(route.uses_default_gateways(), cx.cluster) {
        let plain = listeners("HTTP", subject, &gateway, cx);
        if !plain.is_empty() {
            let secure = listeners("HTTPS", subject, &gateway, cx).first().copied();
            let fix = secure.map_or(Fix::Listener, Fix::Parent);
            report(At::field("spec.useDefaultGateways"), &gateway.target, &plain, fix, (route, found));
        }
    }
}

fn report(
    at: At,
    parent: &ObjectRef,
    plain: &[&str],
    fix: Fix<'_>,
    (route, found): (&Route<'_, '_>, &mut Findings<'_>),
) {
    let finding = found.forbidden(at, &parent.to_string(), fix.template(matches!(route, Route::Http(_))));
    finding.without_args().redactable(&named(plain), "a listener").other(parent);
    if let Fix::Section(secure) | Fix::SectionWithoutPort(secure) | Fix::Parent(secure) = fix {
        finding.redactable(secure, "a listener for HTTPS");
    }
}

/// What would be right instead of a reference that leads to a listener for plain HTTP.
#[derive(Clone, Copy)]
enum Fix<'c> {
    /// To name this listener.
    Section(&'c str),
    /// To name this listener, without the port.
    SectionWithoutPort(&'c str),
    /// To name this listener in a reference of its own.
    Parent(&'c str),
    /// To remove the reference: another one already leads to a listener for HTTPS of the same parent.
    Removal,
    /// To have a listener for HTTPS first.
    Listener,
}

impl<'c> Fix<'c> {
    fn of(parent: &ParentFacts, all: &[(At, ParentFacts)], route: RouteSubject<'_>, cx: &Context<'c>) -> Self {
        let leads_to_https = |(_, other): &(At, ParentFacts)| {
            let is_only_secure = || listeners("HTTP", route, other, cx).is_empty();
            other.target == parent.target && is_only_secure() && !listeners("HTTPS", route, other, cx).is_empty()
        };
        let whole = ParentFacts { section: None, port: None, ..parent.clone() };
        match listeners("HTTPS", route, &whole, cx).first() {
            None => Self::Listener,
            Some(_) if all.iter().any(leads_to_https) => Self::Removal,
            Some(secure) if parent.port.is_some() => Self::SectionWithoutPort(secure),
            Some(secure) => Self::Section(secure),
        }
    }

    /// The message, which depends on whether the route may redirect.
    const fn template(self, may_redirect: bool) -> &'static str {
        match (self, may_redirect) {
            (Self::Section(_), true) => {
                "served over plain HTTP by {other} ({}): set sectionName to {}, or only redirect to https"
            }
            (Self::Section(_), false) => "served over plain HTTP by {other} ({}): set sectionName to {}",
            (Self::SectionWithoutPort(_), true) => {
                "served over plain HTTP by {other} ({}): set sectionName to {} without port, or only redirect to https"
            }
            (Self::SectionWithoutPort(_), false) => {
                "served over plain HTTP by {other} ({}): set sectionName to {} without port"
            }
            (Self::Parent(_), true) => {
                "served over plain HTTP by {other} ({}): name listener {} in parentRefs instead, or only redirect to https"
            }
            (Self::Parent(_), false) => {
                "served over plain HTTP by {other} ({}): name listener {} in parentRefs instead"
            }
            (Self::Removal, true) => {
                "served over plain HTTP by {other} ({}): remove this reference, or only redirect to https"
            }
            (Self::Removal, false) => "served over plain HTTP by {other} ({}): remove this reference",
            (Self::Listener, true) => {
                "served over plain HTTP by {other} ({}): add an HTTPS listener, or only redirect to https"
            }
            (Self::Listener, false) => "served over plain HTTP by {other} ({}): add an HTTPS listener",
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
