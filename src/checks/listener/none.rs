//! `listener/none`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Listeners;

pub static CHECK: Check = Check {
    id: "listener/none",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("none.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if listeners.all.is_empty() {
        found.required(At::field("spec.listeners"), "there must be at least one listener");
    }
}
