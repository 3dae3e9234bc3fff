//! `listener/none`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Listeners;

pub static CHECK: Check = Check {
    id: "listener/none",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("none.md"),
    run: Run::Listeners(check),
};

fn check(listeners: &Listeners<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if listeners.all.is_empty() {
        found.required(At::field("spec.listeners"), "there must be at least one listener");
    }
}
