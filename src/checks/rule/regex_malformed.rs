//! `rule/regex-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Route;
use crate::kinds::walk::rule::{HeaderSite, PathSite};
use crate::kinds::walk::{self, RouteParts};
use crate::matching::pattern::Faults;

/// The type of what is a regular expression.
const REGEX: &str = "RegularExpression";

pub static CHECK: Check = Check {
    id: "rule/regex-malformed",
    page: include_str!("regex_malformed.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut faults = Faults::default();
    for HeaderSite { at, header } in route.headers().iter().filter(|site| site.header.kind() == REGEX) {
        judge(*at, "value", &header.value, &mut faults, found);
    }
    for PathSite { at, path } in route.paths().iter().filter(|site| site.path.kind() == REGEX) {
        judge(*at, "value", path.value(), &mut faults, found);
    }
    if let Route::Http(route) = route.route() {
        for (at, query, _) in walk::rule::query_matches(route).filter(|(_, query, _)| query.kind() == REGEX) {
            judge(at, "value", &query.value, &mut faults, found);
        }
    }
    if let Route::Grpc(route) = route.route() {
        for (at, matched) in walk::rule::grpc_methods(route).filter(|(_, matched)| matched.kind() == REGEX) {
            for (name, text) in [("service", &matched.service), ("method", &matched.method)] {
                judge(at, name, text.as_deref().unwrap_or_default(), &mut faults, found);
            }
        }
    }
}

fn judge<'t>(at: At, name: &'static str, pattern: &'t str, faults: &mut Faults<'t>, found: &mut Findings<'_>) {
    if let Some(fault) = faults.of(pattern) {
        found.invalid(at.then(name), pattern, "regular expression `{}`: {}").shown([pattern, fault]);
    }
}
