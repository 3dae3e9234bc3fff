//! `route/kind-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::names;

pub static CHECK: Check = Check {
    id: "route/kind-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("kind_malformed.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for reference in route.references() {
        let Some(kind) = reference.kind.filter(|kind| !names::is_kind(kind)) else { continue };
        found.invalid(reference.at.then("kind"), kind, "`{}` is no kind, such as `Gateway`; at most 63 bytes");
    }
}
