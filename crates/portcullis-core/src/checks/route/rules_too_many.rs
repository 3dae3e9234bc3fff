//! `route/rules-too-many`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Route;

/// The most rules of a route.
const MOST: usize = 16;

pub static CHECK: Check = Check {
    id: "route/rules-too-many",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("rules_too_many.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let most = match route {
        Route::L4(_, route) if !route.is_v1alpha2() => 1,
        _ => MOST,
    };
    let count = route.rule_count();
    if count > most {
        let (count, most) = (count.to_string(), most.to_string());
        let template = "{} rules; this {} may have at most {}";
        found.invalid(At::field("spec.rules"), &count, template).args([&count, route.kind().api().kind, &most]);
    }
}
