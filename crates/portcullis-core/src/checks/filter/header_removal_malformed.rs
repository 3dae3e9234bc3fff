//! `filter/header-removal-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::names;

pub static CHECK: Check = Check {
    id: "filter/header-removal-malformed",
    page: include_str!("header_removal_malformed.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, name) in route.header_modifiers().iter().flat_map(|site| site.removals()) {
        if !names::is_token(name) {
            found.invalid(at, name, "header `{}` is none that a message can hold: there is nothing to remove");
        }
    }
}
