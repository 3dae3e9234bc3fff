//! `route/section-port-differs`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::ParentFacts;
use crate::finding::Findings;
use crate::kinds::{Kind, Route, walk};
use crate::names;
use crate::routing::attachment::{NotAllowedReason, RouteSubject, stopped_at};

pub static CHECK: Check = Check {
    id: "route/section-port-differs",
    needs: &[Kind::Gateway, Kind::ListenerSet],
    page: include_str!("section_port_differs.md"),
    run: Run::Route(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let applicant = RouteSubject { kind: route.kind(), namespace: cx.namespace(), hosts: &[] };
    for (at, parent) in walk::route::parent_refs(route) {
        let Some(facts) = ParentFacts::of(parent, cx.namespace()) else { continue };
        let (Some(section), Some(port)) = (parent.section(), facts.port) else { continue };
        if !names::is_port(port) {
            continue;
        }
        let Some(stopped) = stopped_at(NotAllowedReason::OtherPort, &applicant, &facts, cx.cluster) else { continue };
        let port = port.to_string();
        found
            .invalid(
                at.then("port"),
                &format!("{section}:{port}"),
                "listener `{}` of {other} is not on port {}, but on {}",
            )
            .args([section, &port])
            .redactable(&stopped.listed(|listener| listener.port.unwrap_or_default().to_string()), "another")
            .other(&facts.target);
    }
}
