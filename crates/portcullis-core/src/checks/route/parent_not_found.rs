//! `route/parent-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::ParentFacts;
use crate::finding::Findings;
use crate::kinds::{Kind, Route, walk};

pub static CHECK: Check = Check {
    id: "route/parent-not-found",
    needs: &[Kind::Gateway, Kind::ListenerSet],
    page: include_str!("parent_not_found.md"),
    run: Run::Route(check),
    ..Check::reference(Actions::WARN)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, parent) in walk::route::parent_refs(route) {
        let Some(facts) = ParentFacts::of(parent, cx.namespace()) else { continue };
        // Another check reports an empty name.
        if !parent.name.is_empty() && cx.cluster.listeners(&facts.target) == Lookup::Absent {
            found
                .not_found(
                    at.then("name"),
                    &parent.name,
                    "{other} not found: the route receives no traffic until it exists",
                )
                .other(&facts.target)
                .suggest(cx.cluster.similar(&facts.target));
        }
    }
}
