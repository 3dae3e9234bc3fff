//! `listener/too-many`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Listeners;
use crate::kinds::listener::MOST_LISTENERS;

pub static CHECK: Check = Check {
    id: "listener/too-many",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("too_many.md"),
    run: Run::Listeners(check),
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let count = listeners.all.len();
    if count > MOST_LISTENERS {
        found.invalid(At::field("spec.listeners"), &count.to_string(), "{} listeners; one object has at most 64");
    }
}
