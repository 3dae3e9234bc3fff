//! `filter/header-value-malformed`

use crate::checks::{Actions, Check, Context, Run, header_value};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;

pub static CHECK: Check = Check {
    id: "filter/header-value-malformed",
    enforced: Some(header_value::ENFORCED),
    page: include_str!("header_value_malformed.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, header) in route.header_modifiers().iter().flat_map(|site| site.values()) {
        let message = "value `{}` must be visible ASCII with single spaces between words";
        header_value::check(|| at.then("value"), &header.value, message, cx, found);
    }
}
