//! `listener/too-many`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Listeners;
use crate::kinds::listener::MOST_LISTENERS;

pub static CHECK: Check = Check {
    id: "listener/too-many",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("too_many.md"),
    run: Run::Listeners(check),
    ..Check::shape(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let count = listeners.all.len();
    if count > MOST_LISTENERS {
        found.invalid(At::field("spec.listeners"), &count.to_string(), "{} listeners; one object has at most 64");
    }
}
