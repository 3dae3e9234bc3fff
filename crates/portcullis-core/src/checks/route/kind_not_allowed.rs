//! `route/kind-not-allowed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::{ListenerFacts, ParentFacts};
use crate::finding::Findings;
use crate::kinds::{Kind, Route, walk};
use crate::routing::attachment::{NotAllowedReason, RouteSubject, stopped_at, taken_kinds};

pub static CHECK: Check = Check {
    id: "route/kind-not-allowed",
    needs: &[Kind::Gateway, Kind::ListenerSet],
    page: include_str!("kind_not_allowed.md"),
    run: Run::Route(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let applicant = RouteSubject { kind: route.kind(), namespace: cx.namespace(), hosts: &[] };
    for (at, parent) in walk::route::parent_refs(route) {
        let Some(facts) = ParentFacts::of(parent, cx.namespace()) else { continue };
        let Some(stopped) = stopped_at(NotAllowedReason::Kind, &applicant, &facts, cx.cluster) else { continue };
        let matches =
            |listener: &ListenerFacts| match taken_kinds(listener).map(|kind| kind.api().kind).collect::<Vec<_>>() {
                none if none.is_empty() => format!("{}: no kind", listener.name),
                some => format!("{}: {}", listener.name, some.join(" or ")),
            };
        let value = [route.kind().api().kind, parent.section().unwrap_or_default()].join("/");
        found
            .forbidden(at, value.trim_end_matches('/'), "{other} does not allow {} here ({})")
            .args([route.kind().api().kind])
            .redactable(&stopped.listed(matches), "other kinds")
            .other(&facts.target);
    }
}
