//! `gateway/allowed-listeners-selector-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;
use crate::kinds::listener::FromNamespaces;

pub static CHECK: Check = Check {
    id: "gateway/allowed-listeners-selector-missing",
    page: include_str!("allowed_listeners_selector_missing.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if gateway.allowed_listeners().is_some_and(FromNamespaces::lacks_selector) {
        let sentence = "from: Selector needs a selector: without one no ListenerSet attaches";
        found.required(At::field("spec.allowedListeners.namespaces.selector"), sentence);
    }
}
