//! `http-route/path-type-unknown`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::kinds::walk::rule::PathSite;

pub static CHECK: Check = Check {
    id: "http-route/path-type-unknown",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("path_type_unknown.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for PathSite { at, path } in route.paths() {
        if !matches!(path.kind(), "Exact" | "PathPrefix" | "RegularExpression") {
            found.not_supported(
                at.then("type"),
                path.kind(),
                "path type `{}` must be Exact, PathPrefix or RegularExpression",
            );
        }
    }
}
