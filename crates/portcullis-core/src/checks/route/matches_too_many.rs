//! `route/matches-too-many`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Route, walk};

/// The most matches of a rule.
const MAX_OF_RULE: usize = 64;

/// The most matches of a route.
const MOST: usize = 128;

pub static CHECK: Check = Check {
    id: "route/matches-too-many",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("matches_too_many.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut all = 0;
    for (at, rule) in walk::route::rules(route) {
        let count = rule.match_count();
        if count > MAX_OF_RULE {
            found.invalid(at.then("matches"), &count.to_string(), "{} matches; a rule has at most 64");
        }
        // The API server gives a rule of an HTTPRoute without matches one for everything.
        all += if matches!(route, Route::Http(_)) { count.max(1) } else { count };
    }
    if all > MOST {
        found.invalid(
            At::field("spec.rules"),
            &all.to_string(),
            "{} matches in all rules together; at most 128 are allowed",
        );
    }
}
