//! `http-route/query-matched-twice`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{HttpRoute, walk};

/// How many entries are compared; a longer list is refused for its length.
const COMPARED: usize = 16;

pub static CHECK: Check = Check {
    id: "http-route/query-matched-twice",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("query_matched_twice.md"),
    run: Run::HttpRoute(check),
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
