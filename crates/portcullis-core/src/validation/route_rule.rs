//! The rules for what HTTPRoutes and GRPCRoutes have in common in their `rules`: matches of headers, query parameters
//! and methods.

use super::{Rule, RuleFn, validators as must};
use crate::bundle::Enforced;
use crate::field::{At, Child};
use crate::finding::{Actions, Findings};
use crate::kinds::Route;
use crate::kinds::walk::rule::{LocatedHeader, LocatedPath};
use crate::kinds::walk::{self, RouteParts};
use crate::matching::pattern::Faults;

/// The rules for the `rules` of a route.
pub const RULES: &[Rule] = &[
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "rule/header-malformed",
            include_str!("../checks/rule/header_malformed.md"),
            Actions::DENY,
            RuleFn::RouteParts(header_malformed),
        )
    },
    Rule::reported(
        "rule/header-matched-twice",
        include_str!("../checks/rule/header_matched_twice.md"),
        Actions::DENY,
        RuleFn::Route(header_matched_twice),
    ),
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "rule/list-too-long",
            include_str!("../checks/rule/list_too_long.md"),
            Actions::DENY,
            RuleFn::Route(list_too_long),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "rule/match-type-unknown",
            include_str!("../checks/rule/match_type_unknown.md"),
            Actions::DENY,
            RuleFn::RouteParts(match_type_unknown),
        )
    },
    Rule::reported(
        "rule/regex-malformed",
        include_str!("../checks/rule/regex_malformed.md"),
        Actions::WARN,
        RuleFn::RouteParts(regex_malformed),
    ),
];

/// The maximum number of characters in the value of a header.
const LONGEST_VALUE: usize = 4096;

fn header_malformed(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    let headers = route.headers();
    found.each(
        headers.iter().map(|LocatedHeader { at, header }| (at.child("name"), &*header.name)),
        must::route_header_name,
    );
    let template = "the value is too long: at most 4096 characters are allowed";
    let values = headers.iter().map(|LocatedHeader { at, header }| (at.child("value"), &*header.value));
    found.each(values, must::have_at_most_characters(LONGEST_VALUE, template));
    for LocatedHeader { at, header } in headers.iter().filter(|site| site.header.value.is_empty()) {
        found.required(at.child("value"), "the value of header `{}` is required").args([&*header.name]);
    }
}

/// The maximum number of entries that are compared. A longer list is rejected because of its length.
const COMPARED: usize = 16;

fn header_matched_twice(route: &Route<'_, '_>, found: &mut Findings<'_>) {
    for list in walk::rule::header_conditions(route) {
        for (position, header) in list.headers.iter().enumerate().take(COMPARED).skip(1) {
            let mut earlier = list.headers[..position].iter();
            if let Some(first) = earlier.find(|first| first.name.eq_ignore_ascii_case(&header.name)) {
                let template = "header `{}` is already matched as `{}` (case does not matter): remove one";
                let identity = header.name.to_ascii_lowercase();
                let args = [&*header.name, &*first.name];
                found.duplicate(list.element(position).child("name"), &identity, template).args(args);
            }
        }
    }
}

/// The maximum number of matches in a rule.
const MATCHES: usize = 64;
/// The maximum number of headers, and of query parameters, in a match.
const VALUES: usize = 16;

fn list_too_long(route: &Route<'_, '_>, found: &mut Findings<'_>) {
    let mut limit = |at: Child, count: usize, most: &str| {
        let count = count.to_string();
        found.invalid(at, &count, "{} entries; at most {} are allowed").args([&*count, most]);
    };
    for (at, rule) in walk::route::rules(route).filter(|(_, rule)| rule.match_count() > MATCHES) {
        limit(at.child("matches"), rule.match_count(), "64");
    }
    for list in walk::rule::header_conditions(route).filter(|list| list.headers.len() > VALUES) {
        limit(list.matched().child("headers"), list.headers.len(), "16");
    }
    if let Route::Http(route) = route {
        for (at, matched, _) in walk::rule::http_matches(route) {
            if matched.query_params.len() > VALUES {
                limit(at.child("queryParams"), matched.query_params.len(), "16");
            }
        }
    }
}

fn match_type_unknown(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    let template = "type `{}` is not supported: use Exact or RegularExpression";
    let be_known = must::be_one_of(&["Exact", "RegularExpression"], template);
    let headers = route.headers().iter().map(|site| (site.at.child("type"), site.header.kind()));
    found.each(headers, &be_known);
    match route.route() {
        Route::Http(route) => {
            let queries = walk::rule::query_matches(route).map(|(at, query, _)| (at.child("type"), query.kind()));
            found.each(queries, &be_known);
        }
        Route::Grpc(route) => {
            let methods = walk::rule::grpc_methods(route).map(|(at, method)| (at.child("type"), method.kind()));
            found.each(methods, &be_known);
        }
        Route::L4(..) => {}
    }
}

/// The match type of a regular expression.
const REGEX: &str = "RegularExpression";

fn regex_malformed(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    let mut faults = Faults::default();
    for LocatedHeader { at, header } in route.headers().iter().filter(|site| site.header.kind() == REGEX) {
        judge_regex(*at, "value", &header.value, &mut faults, found);
    }
    for LocatedPath { at, path } in route.paths().iter().filter(|site| site.path.kind() == REGEX) {
        judge_regex(*at, "value", path.value(), &mut faults, found);
    }
    if let Route::Http(route) = route.route() {
        for (at, query, _) in walk::rule::query_matches(route).filter(|(_, query, _)| query.kind() == REGEX) {
            judge_regex(at, "value", &query.value, &mut faults, found);
        }
    }
    if let Route::Grpc(route) = route.route() {
        for (at, matched) in walk::rule::grpc_methods(route).filter(|(_, matched)| matched.kind() == REGEX) {
            for (name, text) in [("service", &matched.service), ("method", &matched.method)] {
                judge_regex(at, name, text.as_deref().unwrap_or_default(), &mut faults, found);
            }
        }
    }
}

fn judge_regex<'t>(at: At, name: &'static str, pattern: &'t str, faults: &mut Faults<'t>, found: &mut Findings<'_>) {
    if let Some(fault) = faults.of(pattern) {
        let template = "`{}` may be rejected as a regular expression: {}";
        found.invalid(at.child(name), pattern, template).args([pattern, fault]);
    }
}
