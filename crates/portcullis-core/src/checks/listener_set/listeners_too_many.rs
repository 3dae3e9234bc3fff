//! `listener-set/listeners-too-many`

use crate::checks::{Actions, Check, CheckOption, Context, Run};
use crate::cluster::Lookup;
use crate::cluster::gateway_facts::ParentFacts;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, ListenerSet};

pub static CHECK: Check = Check {
    id: "listener-set/listeners-too-many",
    needs: &[Kind::Gateway, Kind::ListenerSet],
    options: &[CheckOption::RequireOneOf("maxListeners")],
    page: include_str!("listeners_too_many.md"),
    run: Run::ListenerSet(check),
    ..Check::policy(Actions::ACROSS)
};

fn check(set: &ListenerSet<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(most) = cx.options.max_listeners else { return };
    let Some(parent) = ParentFacts::of(&set.spec.parent_ref, cx.namespace()) else { return };
    let Lookup::Found(gateway) = cx.cluster.listeners(&parent.target) else { return };
    let others = cx.cluster.listener_count(&parent.target);
    let total = others + set.spec.listeners.len();
    let (count, limit) = (total.to_string(), most.to_string());
    // Each listener beyond the limit is a finding of its own, identified by its number, so that an update may replace or
    // remove listeners, and may not add one.
    for number in others.max(most as usize)..total {
        let message = "{other} would have {} listeners in all; at most {} are allowed";
        let finding = found.forbidden(At::element("spec.listeners[]", [number - others]), &number.to_string(), message);
        finding.args([&count, &limit]).other(&gateway.object_ref);
    }
}
