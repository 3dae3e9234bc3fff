//! `gateway/allowed-listeners-selector-missing`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;
use crate::kinds::listener::FromNamespaces;

pub static CHECK: Check = Check {
    id: "gateway/allowed-listeners-selector-missing",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("allowed_listeners_selector_missing.md"),
    run: Run::Gateway(check),
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if gateway.allowed_listeners().is_some_and(FromNamespaces::lacks_selector) {
        let sentence = "from: Selector needs a selector: without one no ListenerSet attaches";
        found.required(At::field("spec.allowedListeners.namespaces.selector"), sentence);
    }
}
