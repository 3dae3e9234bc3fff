//! `route/group-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::names;

pub static CHECK: Check = Check {
    id: "route/group-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("group_malformed.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for reference in route.references() {
        let Some(group) = reference.group.filter(|group| !group.is_empty() && !names::is_subdomain(group)) else {
            continue;
        };
        found.malformed(
            reference.at.then("group"),
            group,
            "`{}` is no API group, such as `example.com`; at most 253 bytes",
        );
    }
}
