//! `route/section-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::ParentFacts;
use crate::finding::Findings;
use crate::kinds::{Kind, Route, walk};
use crate::names;
use crate::routing::attachment::{NotAllowedReason, RouteSubject, stopped_at};

pub static CHECK: Check = Check {
    id: "route/section-not-found",
    needs: &[Kind::Gateway, Kind::ListenerSet],
    page: include_str!("section_not_found.md"),
    run: Run::Route(check),
    ..Check::reference(Actions::WARN)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let applicant = RouteSubject { kind: route.kind(), namespace: cx.namespace(), hosts: &[] };
    for (at, parent) in walk::route::parent_refs(route) {
        let Some(facts) = ParentFacts::of(parent, cx.namespace()) else { continue };
        let Some(stopped) = stopped_at(NotAllowedReason::OtherSection, &applicant, &facts, cx.cluster) else {
            continue;
        };
        // Another check reports a name that no listener can have.
        let Some(section) = parent.section().filter(|section| names::is_subdomain(section)) else { continue };
        found
            .not_found(at.then("sectionName"), section, "{other} has no listener `{}`; it has {}")
            .redactable(&stopped.listed(|listener| listener.name.to_string()), "others")
            .other(&facts.target);
    }
}
