//! `gateway/default-scope-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Gateway;

pub static CHECK: Check = Check {
    id: "gateway/default-scope-unknown",
    enforced: Some(Enforced::experimental(1, 4)),
    page: include_str!("default_scope_unknown.md"),
    run: Run::Gateway(check),
    ..Check::shape(Actions::DENY)
};

fn check(gateway: &Gateway<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if let Some(scope) = gateway.spec.default_scope.as_deref().filter(|scope| !matches!(*scope, "All" | "None")) {
        found.not_supported(At::field("spec.defaultScope"), scope, "`{}` is not All or None");
    }
}
