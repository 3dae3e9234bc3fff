//! `filter/repeated`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;

/// The types that a list holds once.
const ONCE: [&str; 5] = ["RequestHeaderModifier", "ResponseHeaderModifier", "RequestRedirect", "URLRewrite", "CORS"];

pub static CHECK: Check = Check {
    id: "filter/repeated",
    enforced: Some(Enforced::since(1, 5)),
    page: include_str!("repeated.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for list in route.filter_lists() {
        for kind in ONCE {
            let such = list.filters.iter().enumerate().filter(|(_, filter)| &*filter.kind == kind);
            for (index, _) in such.skip(1) {
                let message = "a second filter of type {}: one list holds one";
                found.duplicate(list.element(index).then("type"), kind, message);
            }
        }
    }
}
