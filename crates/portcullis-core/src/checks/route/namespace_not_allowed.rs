//! `route/namespace-not-allowed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::gateway_facts::{AllowedNamespaces, ListenerFacts, ParentFacts};
use crate::finding::Findings;
use crate::kinds::{Kind, Route, walk};
use crate::routing::attachment::{NotAllowedReason, RouteSubject, stopped_at};

pub static CHECK: Check = Check {
    id: "route/namespace-not-allowed",
    needs: &[Kind::Gateway, Kind::ListenerSet, Kind::Namespace],
    page: include_str!("namespace_not_allowed.md"),
    run: Run::Route(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let applicant = RouteSubject { kind: route.kind(), namespace: cx.namespace(), hosts: &[] };
    for (at, parent) in walk::route::parent_refs(route) {
        let Some(facts) = ParentFacts::of(parent, cx.namespace()) else { continue };
        let Some(stopped) = stopped_at(NotAllowedReason::Namespace, &applicant, &facts, cx.cluster) else { continue };
        let value = [cx.namespace(), parent.section().unwrap_or_default()].join("/");
        found
            .forbidden(at, value.trim_end_matches('/'), "{other} does not allow routes of namespace `{}` here ({})")
            .args([cx.namespace()])
            .redactable(&stopped.listed(matches), "only other namespaces")
            .other(&facts.target);
    }
}

/// Describes the namespaces from which a listener accepts routes.
fn matches(listener: &ListenerFacts) -> String {
    let name = &listener.name;
    match &listener.from {
        AllowedNamespaces::Same => format!("{name}: only the namespace of the listener"),
        AllowedNamespaces::Selector(selector) => format!("{name}: {selector}"),
        AllowedNamespaces::None | AllowedNamespaces::All | AllowedNamespaces::Unknown => {
            format!("{name}: no namespace")
        }
    }
}
