//! `route/backends-too-many`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{Route, walk};

/// The most backends of a rule.
const MOST: usize = 16;

pub static CHECK: Check = Check {
    id: "route/backends-too-many",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("backends_too_many.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, rule) in walk::route::rules(route).filter(|(_, rule)| rule.backend_refs.len() > MOST) {
        let count = rule.backend_refs.len().to_string();
        found.invalid(at.then("backendRefs"), &count, "{} backends; a rule has at most 16");
    }
}
