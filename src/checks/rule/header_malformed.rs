//! `rule/header-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::kinds::walk::rule::HeaderSite;
use crate::names;

/// The most characters of a name.
const LONGEST_NAME: usize = 256;
/// The most characters of a value.
const LONGEST_VALUE: usize = 4096;

pub static CHECK: Check = Check {
    id: "rule/header-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("header_malformed.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for HeaderSite { at, header } in route.headers() {
        let (name, value) = (&*header.name, &*header.value);
        if !names::is_token(name) {
            found.invalid(at.then("name"), name, "header `{}` must be letters, digits and marks such as `-`");
        } else if name.len() > LONGEST_NAME {
            found.too_long(at.then("name"), name, "header `{}` is longer than 256 characters");
        }
        if value.is_empty() {
            found.required(at.then("value"), "header `{}` is matched without a value").shown([name]);
        } else if value.len() > LONGEST_VALUE && value.chars().count() > LONGEST_VALUE {
            found.too_long(at.then("value"), value, "value `{}` is longer than 4096 characters");
        }
    }
}
