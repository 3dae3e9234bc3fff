//! `route/parent-refs-too-many`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Route;

/// The most parents of a route (GEP-724 says 16; the CRDs have always said 32).
const MOST: usize = 32;

pub static CHECK: Check = Check {
    id: "route/parent-refs-too-many",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("parent_refs_too_many.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let count = route.parent_refs().len();
    if count > MOST {
        found.invalid(At::field("spec.parentRefs"), &count.to_string(), "{} parents; a route has at most 32");
    }
}
