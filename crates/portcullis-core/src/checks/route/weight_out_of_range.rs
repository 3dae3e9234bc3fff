//! `route/weight-out-of-range`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::kinds::walk::reference::{BackendSite, Role};

/// The greatest weight.
const MOST: i64 = 1_000_000;

pub static CHECK: Check = Check {
    id: "route/weight-out-of-range",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("weight_out_of_range.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for BackendSite { at, backend, role } in route.backends() {
        let Some(weight) = backend.weight.filter(|weight| !(0..=MOST).contains(weight)) else { continue };
        // Only of backends that answer is one chosen by weight.
        if *role == Role::Answers {
            found.invalid(at.then("weight"), &weight.to_string(), "{} is no weight: 0 to 1000000");
        }
    }
}
