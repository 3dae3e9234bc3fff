//! `route/backends-missing`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};

pub static CHECK: Check = Check {
    id: "route/backends-missing",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("backends_missing.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if !route.is_l4() {
        return;
    }
    // Of one in the words of a draft, those are the fault.
    for (at, _) in walk::route::rules(route).filter(|(_, rule)| rule.backend_refs.is_empty()) {
        let kind = route.kind().api().kind;
        found.required(at.then("backendRefs"), "each rule of this {} needs a backend").args([kind]);
    }
}
