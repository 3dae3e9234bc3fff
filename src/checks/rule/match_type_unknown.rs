//! `rule/match-type-unknown`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Route;
use crate::kinds::walk::{self, RouteParts};

pub static CHECK: Check = Check {
    id: "rule/match-type-unknown",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("match_type_unknown.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut judge = |at: At, kind: &str| {
        if !matches!(kind, "Exact" | "RegularExpression") {
            found.not_supported(at.then("type"), kind, "type `{}` must be Exact or RegularExpression");
        }
    };
    route.headers().iter().for_each(|site| judge(site.at, site.header.kind()));
    match route.route() {
        Route::Http(route) => walk::rule::query_matches(route).for_each(|(at, query, _)| judge(at, query.kind())),
        Route::Grpc(route) => walk::rule::grpc_methods(route).for_each(|(at, method)| judge(at, method.kind())),
        Route::L4(..) => {}
    }
}
