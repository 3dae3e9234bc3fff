//! `route/section-malformed`

use crate::checks::{Actions, Check, Context, Run};
use crate::cluster::Enforced;
use crate::finding::Findings;
use crate::kinds::{Route, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "route/section-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("section_malformed.md"),
    run: Run::Route(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, parent) in walk::route::parent_refs(route) {
        let Some(section) = parent.section_name.as_deref().filter(|section| !names::is_subdomain(section)) else {
            continue;
        };
        found.malformed(at.then("sectionName"), section, "`{}` is the name of no listener; it has 1 to 253 bytes");
    }
}
