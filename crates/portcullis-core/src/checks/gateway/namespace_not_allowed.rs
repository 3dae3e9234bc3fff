//! `gateway/namespace-not-allowed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Listeners;

pub static CHECK: Check = Check {
    id: "gateway/namespace-not-allowed",
    page: include_str!("namespace_not_allowed.md"),
    run: Run::Listeners(check),
    ..Check::tenancy(Actions::DENY)
};

fn check(listeners: &Listeners<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (kind, namespace) = (listeners.kind.api().kind, cx.namespace());
    if !cx.config.may_hold_roots(kind, namespace) {
        let at = At::field("metadata.namespace");
        found
            .forbidden(at, namespace, "namespace `{}` is not allowed to contain a {}: ask the platform team")
            .args([namespace, kind]);
    }
}
