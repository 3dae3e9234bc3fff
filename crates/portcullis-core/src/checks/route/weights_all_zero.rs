//! `route/weights-all-zero`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};

pub static CHECK: Check = Check {
    id: "route/weights-all-zero",
    page: include_str!("weights_all_zero.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, rule) in walk::route::rules(route).filter(|(_, rule)| !rule.backend_refs.is_empty()) {
        if rule.backend_refs.iter().all(|backend| backend.weight == Some(0)) {
            found.invalid(at.then("backendRefs"), "0", "every weight is {}: the rule sends nothing anywhere");
        }
    }
}
