//! `route/rules-missing`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Route;

/// Since this release, an HTTPRoute that has a list of rules must have at least one rule.
const RULE_REQUIRED_SINCE: (u16, u16) = (1, 5);

pub static CHECK: Check = Check {
    id: "route/rules-missing",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("rules_missing.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let release = cx.cluster.schema(route.kind()).bundle.release;
    let must_have_one = match route {
        // The API server sets a default if the list is absent, but not if it is empty.
        Route::Http(route) => route.spec.rules.is_some() && release >= RULE_REQUIRED_SINCE,
        Route::Grpc(_) => false,
        Route::L4(..) => true,
    };
    if must_have_one && route.rule_count() == 0 {
        let kind = route.kind().api().kind;
        found
            .required(At::field("spec.rules"), "this {} requires a rule: without one it forwards nothing")
            .args([kind]);
    }
}
