//! `http-route/query-malformed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{HttpRoute, walk};
use crate::names;

/// The most characters of a name.
const LONGEST_NAME: usize = 256;
/// The most characters of a value.
const LONGEST_VALUE: usize = 1024;

pub static CHECK: Check = Check {
    id: "http-route/query-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("query_malformed.md"),
    run: Run::HttpRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &HttpRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, parameter, _) in walk::rule::query_matches(route) {
        let (name, value) = (&*parameter.name, &*parameter.value);
        if !names::is_token(name) {
            found.invalid(at.then("name"), name, "query parameter `{}` must be letters, digits and marks such as `-`");
        } else if name.len() > LONGEST_NAME {
            found.too_long(at.then("name"), name, "query parameter `{}` is longer than 256 characters");
        }
        if value.is_empty() {
            found.required(at.then("value"), "query parameter `{}` has no value").args([name]);
        } else if value.len() > LONGEST_VALUE && value.chars().count() > LONGEST_VALUE {
            found.too_long(at.then("value"), value, "value `{}` is longer than 1024 characters");
        }
    }
}
