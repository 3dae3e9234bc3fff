//! `route/name-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;

/// The most characters of a name.
const MOST: usize = 253;

pub static CHECK: Check = Check {
    id: "route/name-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("name_malformed.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for reference in route.references() {
        match reference.name.chars().count() {
            0 => found.required(reference.at.then("name"), "a reference needs the name of what it means"),
            1..=MOST => continue,
            _ => found.too_long(
                reference.at.then("name"),
                reference.name,
                "`{}` is no name: one has at most 253 characters",
            ),
        };
    }
}
