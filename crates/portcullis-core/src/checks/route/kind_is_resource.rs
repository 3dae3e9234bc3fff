//! `route/kind-is-resource`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::extension;
use crate::kinds::reference::{is_spelled_as_resource, kind_of_resource};
use crate::kinds::walk::RouteParts;
use crate::names;

pub static CHECK: Check = Check {
    id: "route/kind-is-resource",
    page: include_str!("kind_is_resource.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for reference in route.references() {
        let is_own = |kind: &str| extension::is_lower_case(reference.group.unwrap_or_default(), kind);
        let applies = |kind: &&str| is_spelled_as_resource(kind) && names::is_kind(kind) && !is_own(kind);
        let Some(kind) = reference.kind.filter(applies) else { continue };
        let at = reference.at.then("kind");
        match kind_of_resource(kind) {
            Some(meant) => {
                found.invalid(at, kind, "`{}` is the name of a resource; its kind is `{}`").args([kind, meant])
            }
            None => found.invalid(at, kind, "`{}` looks like a resource: a kind begins with an upper-case letter"),
        };
    }
}
