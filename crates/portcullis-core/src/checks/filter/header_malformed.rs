//! `filter/header-malformed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::kinds::walk::filter::Below;
use crate::kinds::{Route, walk};
use crate::names;

/// The most characters of a name.
const LONGEST: usize = 256;
/// The most characters of a value.
const LONGEST_VALUE: usize = 4096;

pub static CHECK: Check = Check {
    id: "filter/header-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("header_malformed.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let judge = |at: Below, name: &str, found: &mut Findings<'_>| {
        if !names::is_token(name) {
            found.invalid(at, name, "header `{}` must be letters, digits and marks such as `-`");
        } else if name.len() > LONGEST {
            found.too_long(at, name, "header `{}` is longer than 256 characters");
        }
    };
    for (at, header) in route.header_modifiers().iter().flat_map(|site| site.values()) {
        judge(at.named("name"), &header.name, found);
        let value = &*header.value;
        if value.is_empty() {
            found.required(at.then("value"), "header `{}` has no value").args([&*header.name]);
        } else if value.len() > LONGEST_VALUE && value.chars().count() > LONGEST_VALUE {
            found.too_long(at.then("value"), value, "value `{}` is longer than 4096 characters");
        }
    }
    if matches!(route.route(), Route::Http(_)) {
        let lists = walk::filter::cors(route).flat_map(|site| site.lists());
        for (at, name) in lists.filter(|list| list.name.ends_with("Headers")).flat_map(|list| list.entries()) {
            judge(at, name, found);
        }
    }
}
