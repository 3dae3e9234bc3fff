//! `route/parent-port-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::ParentFacts;
use crate::finding::Findings;
use crate::kinds::{Kind, Route, walk};
use crate::names;
use crate::routing::attachment::{NotAllowedReason, RouteSubject, stopped_at};

pub static CHECK: Check = Check {
    id: "route/parent-port-not-found",
    needs: &[Kind::Gateway, Kind::ListenerSet],
    page: include_str!("parent_port_not_found.md"),
    run: Run::Route(check),
    ..Check::reference(Actions::WARN)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let applicant = RouteSubject { kind: route.kind(), namespace: cx.namespace(), hosts: &[] };
    for (at, parent) in walk::route::parent_refs(route).filter(|(_, parent)| parent.section().is_none()) {
        let Some(facts) = ParentFacts::of(parent, cx.namespace()) else { continue };
        let Some(port) = facts.port.filter(|port| names::is_port(*port)) else { continue };
        let Some(stopped) = stopped_at(NotAllowedReason::OtherPort, &applicant, &facts, cx.cluster) else { continue };
        found
            .not_found(at.then("port"), &port.to_string(), "no listener of {other} uses port {}; they use {}")
            .redactable(&stopped.listed(|listener| listener.port.unwrap_or_default().to_string()), "others")
            .other(&facts.target);
    }
}
