//! `http-route/header-value-malformed`

use crate::checks::{Actions, Check, Context, Run, header_value};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::kinds::walk::rule::LocatedHeader;

pub static CHECK: Check = Check {
    id: "http-route/header-value-malformed",
    enforced: Some(header_value::ENFORCED),
    page: include_str!("header_value_malformed.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for LocatedHeader { at, header } in route.headers() {
        let message =
            "value `{}` must be visible ASCII with single spaces between words: proxies may alter anything else";
        header_value::check(|| at.then("value"), &header.value, message, cx, found);
    }
}
