//! `gateway/allowed-listeners-from-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;

pub static CHECK: Check = Check {
    id: "gateway/allowed-listeners-from-unknown",
    enforced: Some(Enforced::since(1, 5)),
    page: include_str!("allowed_listeners_from_unknown.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let Some(namespaces) = gateway.allowed_listeners() else { return };
    if let Some(from) = namespaces.from.as_deref()
        && !matches!(from, "All" | "Selector" | "Same" | "None")
    {
        let sentence = "`{}` is not All, Selector, Same or None";
        found.not_supported(At::field("spec.allowedListeners.namespaces.from"), from, sentence);
    }
}
