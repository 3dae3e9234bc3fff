//! `listener-set/parent-not-found`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::ParentFacts;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, ListenerSet};

pub static CHECK: Check = Check {
    id: "listener-set/parent-not-found",
    needs: &[Kind::Gateway],
    page: include_str!("parent_not_found.md"),
    run: Run::ListenerSet(check),
    ..Check::reference(Actions::WARN)
};

fn check(set: &ListenerSet<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let parent = &set.spec.parent_ref;
    let Some(facts) = ParentFacts::of(parent, cx.namespace()) else { return };
    if facts.target.kind == Kind::Gateway
        && !parent.name.is_empty()
        && cx.cluster.listeners(&facts.target) == Lookup::Absent
    {
        let message = "{other} not found: the listeners are not served until it exists";
        found
            .not_found(At::field("spec.parentRef").then("name"), &parent.name, message)
            .other(&facts.target)
            .suggest(cx.cluster.similar(&facts.target));
    }
}
