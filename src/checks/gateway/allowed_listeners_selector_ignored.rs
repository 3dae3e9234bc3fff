//! `gateway/allowed-listeners-selector-ignored`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;

pub static CHECK: Check = Check {
    id: "gateway/allowed-listeners-selector-ignored",
    page: include_str!("allowed_listeners_selector_ignored.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::WARN)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let namespaces = gateway.allowed_listeners();
    if let Some(from) = namespaces.and_then(|namespaces| namespaces.beside_unused_selector("None")) {
        let sentence = "the selector is ignored with from: {}; it needs from: Selector";
        found.forbidden(At::field("spec.allowedListeners.namespaces.selector"), from, sentence);
    }
}
