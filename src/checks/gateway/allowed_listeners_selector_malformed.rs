//! `gateway/allowed-listeners-selector-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;
use crate::labels;

pub static CHECK: Check = Check {
    id: "gateway/allowed-listeners-selector-malformed",
    page: include_str!("allowed_listeners_selector_malformed.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let selector = gateway.allowed_listeners().and_then(|namespaces| namespaces.selector.as_ref());
    for fault in selector
        .into_iter()
        .flat_map(|selector| labels::faults(At::field("spec.allowedListeners.namespaces"), selector))
    {
        found.invalid(fault.at, fault.value, fault.sentence);
    }
}
