//! `listener-set/parent-kind`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::ListenerSet;
use crate::kinds::reference::GATEWAY_GROUP;

pub static CHECK: Check = Check {
    id: "listener-set/parent-kind",
    page: include_str!("parent_kind.md"),
    run: Run::ListenerSet(check),
    ..Check::reference(Actions::ACROSS)
};

fn check(set: &ListenerSet<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let parent = &set.spec.parent_ref;
    let at = At::field("spec.parentRef");
    if parent.group() != GATEWAY_GROUP {
        let value = format!("{}/{}", parent.group(), parent.kind());
        found.not_supported(at.then("group"), &value, "a ListenerSet adds to a Gateway, not to {}");
    } else if parent.kind() != "Gateway" {
        found.not_supported(at.then("kind"), parent.kind(), "a ListenerSet adds to a Gateway, not to a {}");
    }
}
