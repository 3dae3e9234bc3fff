//! `gateway/listener-count`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;

/// The most listeners of a Gateway.
const MOST: usize = 64;

pub static CHECK: Check = Check {
    id: "gateway/listener-count",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("listener_count.md"),
    run: Run::Gateway(check),
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let (at, count) = (At::field("spec.listeners"), gateway.spec.listeners.len());
    if count == 0 {
        found.required(at, "a Gateway needs one listener at least");
    } else if count > MOST {
        found.invalid(at, &count.to_string(), "{} listeners; a Gateway has at most 64, and ListenerSets can add more");
    }
}
