//! `listener-set/parent-ref-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::ListenerSet;
use crate::references::Reference;

pub static CHECK: Check = Check {
    id: "listener-set/parent-ref-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("parent_ref_malformed.md"),
    run: Run::ListenerSet(check),
    ..Check::shape(Actions::DENY)
};

fn check(set: &ListenerSet<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for fault in Reference::from(&set.spec.parent_ref).faults() {
        found.add(fault.cause, At::field("spec.parentRef").then(fault.field), fault.value, fault.sentence);
    }
}
