//! `rule/list-too-long`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Route, walk};

/// The most matches of a rule.
const MATCHES: usize = 64;
/// The most headers, and the most query parameters, of a match.
const VALUES: usize = 16;

pub static CHECK: Check = Check {
    id: "rule/list-too-long",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("list_too_long.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut judge = |at: At, field: &'static str, count: usize, most: &str| {
        let count = count.to_string();
        found.invalid(at.then(field), &count, "{} entries; at most {} are allowed").shown([&*count, most]);
    };
    for (at, rule) in walk::route::rules(route).filter(|(_, rule)| rule.match_count() > MATCHES) {
        judge(at, "matches", rule.match_count(), "64");
    }
    for list in walk::rule::header_lists(route).filter(|list| list.headers.len() > VALUES) {
        judge(list.matched(), "headers", list.headers.len(), "16");
    }
    if let Route::Http(route) = route {
        for (at, matched, _) in
            walk::rule::http_matches(route).filter(|(_, matched, _)| matched.query_params.len() > VALUES)
        {
            judge(at, "queryParams", matched.query_params.len(), "16");
        }
    }
}
