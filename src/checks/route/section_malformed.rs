//! `route/section-malformed`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Route, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "route/section-malformed",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("section_malformed.md"),
    run: Run::Route(check),
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, parent) in walk::route::parent_refs(route) {
        let Some(section) = parent.section_name.as_deref().filter(|section| !names::is_subdomain(section)) else {
            continue;
        };
        found.malformed(at.then("sectionName"), section, "`{}` is the name of no listener; it has 1 to 253 bytes");
    }
}
