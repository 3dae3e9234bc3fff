//! `http-route/redirect-loop`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::{GatewayRouteFacts, ListenerFacts, ListenersFacts, ParentFacts};
use crate::cluster::route_claim::{RouteClaim, RouteReference};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, Route, walk};
use crate::matching::Host;
use crate::routing::attachment::{Attachment, RouteSubject, may_accept};
use crate::routing::redirect::{Redirect, ReturnPath};
use crate::routing::used_references::used_references;

pub static CHECK: Check = Check {
    id: "http-route/redirect-loop",
    needs: &[Kind::Gateway, Kind::ListenerSet, Kind::Namespace, Kind::HttpRoute, Kind::GrpcRoute],
    page: include_str!("redirect_loop.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::WARN)
};

/// The maximum number of rules, hosts, parents and other routes that are looked at. A longer list is rejected because of its length.
const COMPARED: usize = 64;

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Route::Http(http) = route else { return };
    let rules = http.spec.rules();
    if rules.len() > COMPARED {
        return;
    }
    let (same, mut other): (Vec<Redirect<'_, '_>>, Vec<_>) =
        (0..rules.len()).filter_map(|rule| Redirect::of(rules, rule)).partition(Redirect::changes_nothing);
    for redirect in same {
        let template = "the redirect leads to the same URL again: change scheme, hostname, port or path";
        found.invalid(at(&redirect), "", template);
    }
    other.retain(|redirect| redirect.path == ReturnPath::Same || cx.cluster.is_complete(Kind::HttpRoute));
    if other.is_empty() || route.hostnames().len() > COMPARED {
        return;
    }
    let hosts: Vec<Host<'_>> = route.hostnames().iter().map(|host| Host::parse(host)).collect();
    let subject = RouteSubject { kind: route.kind(), namespace: cx.namespace(), hosts: &hosts };
    for (_, parent) in walk::route::parent_refs(route).take(COMPARED) {
        let Some(reference) = ParentFacts::of(parent, cx.namespace()) else { continue };
        let attachment = Attachment::of(subject, &reference, cx.cluster);
        let Attachment::Decided { parent, .. } = &attachment else { continue };
        let mut accepting: Vec<&ListenerFacts> = attachment.accepting().collect();
        accepting.retain(|listener| other.iter().any(|redirect| redirect.leads_back_to(listener, &hosts)));
        let accepting =
            accepting.into_iter().filter_map(|listener| Some((listener, rivals(&hosts, parent, listener, cx)?)));
        let accepting: Vec<_> = accepting.collect();
        for redirect in &other {
            let may_lose = |rival: &&GatewayRouteFacts| rival.matches.iter().any(|key| redirect.may_lose_to(key));
            let looping = accepting
                .iter()
                .filter(|(listener, rivals)| redirect.leads_back_to(listener, &hosts) && !rivals.iter().any(may_lose));
            if let Some((listener, _)) = looping.min_by_key(|(listener, _)| &listener.name) {
                report(redirect, listener, &reference, found);
            }
        }
    }
}

fn report(redirect: &Redirect<'_, '_>, listener: &ListenerFacts, parent: &ParentFacts, found: &mut Findings<'_>) {
    let (template, shown) = match (redirect.path, redirect.filter.hostname.as_deref()) {
        (ReturnPath::Matched(path), _) => {
            ("{} of {other} redirects the new path {} again: match only the old path", Some(path))
        }
        (ReturnPath::Same, Some(host)) => {
            ("{} of {other} redirects {} to the same URL: leave it to another route", Some(host))
        }
        (ReturnPath::Same, None) => {
            ("{} of {other} redirects requests to the same URL: set sectionName to another listener", None)
        }
    };
    let finding = found.invalid(at(redirect), &listener.name, template).without_args();
    finding.redactable(&format!("listener {}", listener.name), "a listener").other(&parent.target);
    if let Some(shown) = shown {
        finding.also(shown);
    }
}

fn at(redirect: &Redirect<'_, '_>) -> At {
    At::element("spec.rules[].filters[].requestRedirect", [redirect.rule, redirect.position])
}

/// The other HTTPRoutes with exactly one of these hosts on the listener. `None` if others may take requests for them: GRPCRoutes, routes with
/// hosts below, and too many to look at.
fn rivals<'c>(
    hosts: &[Host<'_>],
    parent: &ListenersFacts,
    listener: &ListenerFacts,
    cx: &Context<'c>,
) -> Option<Vec<&'c GatewayRouteFacts>> {
    let every = [Host::Any];
    let hosts = if hosts.is_empty() { &every } else { hosts };
    let mut rivals = Vec::new();
    for kind in [Kind::HttpRoute, Kind::GrpcRoute] {
        for used in used_references(parent, &[listener], kind, cx.cluster) {
            let is_claimed = |claim| !cx.cluster.routes_with_claim(kind, Some(used.reference), claim).is_empty();
            for host in hosts {
                let below = match host {
                    Host::Any => Some(""),
                    Host::Wildcard(suffix) => Some(&**suffix),
                    Host::Precise(_) => None,
                };
                if below.is_some_and(|suffix| is_claimed(RouteClaim::Below(suffix))) {
                    return None;
                }
                if !is_claimed(RouteClaim::host(host)) {
                    continue;
                }
                if kind == Kind::GrpcRoute || used.reference == RouteReference::DEFAULTS {
                    return None;
                }
                let with_host = cx.cluster.routes_with_host(&parent.object_ref, kind, host);
                rivals.extend(with_host.filter(|route| may_accept(listener, parent, route, cx.cluster)).take(COMPARED));
                if rivals.len() >= COMPARED {
                    return None;
                }
            }
        }
    }
    Some(rivals)
}
