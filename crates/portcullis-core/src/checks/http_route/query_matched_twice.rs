//! `http-route/query-matched-twice`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{HttpRoute, walk};

/// How many entries are compared; a longer list is refused for its length.
const COMPARED: usize = 16;

pub static CHECK: Check = Check {
    id: "http-route/query-matched-twice",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("query_matched_twice.md"),
    run: Run::HttpRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &HttpRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, matched, _) in walk::rule::http_matches(route) {
        let parameters = &matched.query_params;
        for (index, parameter) in parameters.iter().enumerate().take(COMPARED) {
            if parameters[..index].iter().any(|earlier| earlier.name == parameter.name) {
                found.duplicate(
                    at.then("queryParams"),
                    &parameter.name,
                    "query parameter `{}` stands in this match twice",
                );
            }
        }
    }
}
