//! The rules for an HTTPRoute itself.

pub mod path;
pub mod redirect;
pub mod shadowed;
pub mod timeout;

use super::{Rule, RuleFn, validators as must};
use crate::bundle::Enforced;
use crate::finding::{Actions, Findings, Validity};
use crate::kinds::{HttpRoute, walk};
use crate::names;

/// The rules for the methods and query parameters that an HTTPRoute matches.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "http-route/method-unknown",
            include_str!("../../checks/http_route/method_unknown.md"),
            Actions::DENY,
            RuleFn::HttpRoute(|route, found| {
                let methods = walk::rule::http_matches(route)
                    .filter_map(|(at, matched, _)| Some((at.child("method"), matched.method.as_deref()?)));
                found.each(methods, must::http_method)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "http-route/query-malformed",
            include_str!("../../checks/http_route/query_malformed.md"),
            Actions::DENY,
            RuleFn::HttpRoute(query_malformed),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "http-route/query-matched-twice",
            include_str!("../../checks/http_route/query_matched_twice.md"),
            Actions::DENY,
            RuleFn::HttpRoute(query_matched_twice),
        )
    },
];

/// The maximum number of characters in the name of a query parameter.
const QUERY_NAME: usize = 256;
/// The maximum number of characters in the value of a query parameter.
const QUERY_VALUE: usize = 1024;

fn query_malformed(route: &HttpRoute<'_>, found: &mut Findings<'_>) {
    let template = "the value is too long: at most 1024 characters are allowed";
    let be_short = must::have_at_most_characters(QUERY_VALUE, template);
    for (at, parameter, _) in walk::rule::query_matches(route) {
        found.each([(at.child("name"), &*parameter.name)], query_name);
        found.each([(at.child("value"), &*parameter.value)], &be_short);
        if parameter.value.is_empty() {
            let template = "a value of query parameter `{}` is required";
            found.required(at.child("value"), template).args([&*parameter.name]);
        }
    }
}

fn query_name(name: &str) -> Validity {
    let template = "`{}` is not a valid query parameter: use letters, digits and characters such as `-` and `_`";
    must::be(names::is_token, template)(name)?;
    let template = "query parameter `{}` is too long: at most 256 characters are allowed";
    must::have_at_most_characters(QUERY_NAME, template)(name)
}

/// The maximum number of entries that are compared. A longer list is rejected because of its length.
const COMPARED: usize = 16;

fn query_matched_twice(route: &HttpRoute<'_>, found: &mut Findings<'_>) {
    for (at, matched, _) in walk::rule::http_matches(route) {
        let parameters = &matched.query_params;
        for (index, parameter) in parameters.iter().enumerate().take(COMPARED) {
            if parameters[..index].iter().any(|earlier| earlier.name == parameter.name) {
                let template = "query parameter `{}` is already matched: match it once";
                found.duplicate(at.child("queryParams"), &parameter.name, template);
            }
        }
    }
}
