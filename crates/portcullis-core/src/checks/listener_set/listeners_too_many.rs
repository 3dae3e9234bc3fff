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
    let total = cx.cluster.listener_count(&parent.target) + set.spec.listeners.len();
    if total > most as usize {
        let (total, most) = (total.to_string(), most.to_string());
        let message = "{other} would have {} listeners in all; at most {} are allowed";
        found.forbidden(At::field("spec.listeners"), &total, message).args([&total, &most]).other(&gateway.object_ref);
    }
}
