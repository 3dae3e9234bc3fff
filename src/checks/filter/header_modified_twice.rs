//! `filter/header-modified-twice`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;

/// How many entries are compared; a longer list is refused for its length.
const COMPARED: usize = 48;

pub static CHECK: Check = Check {
    id: "filter/header-modified-twice",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("header_modified_twice.md"),
    run: Run::RouteParts(check),
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut names = Vec::new();
    for site in route.header_modifiers().iter().filter(|site| site.counts()[1] > 1) {
        names.clear();
        names.extend(site.names().take(COMPARED));
        for (index, (at, name)) in names.iter().enumerate().skip(1) {
            if let Some((_, first)) = names[..index].iter().find(|(_, first)| first.eq_ignore_ascii_case(name)) {
                let sentence = "header `{}` is set, added or removed as `{}` already: one filter does one thing to it";
                found.duplicate(*at, &name.to_ascii_lowercase(), sentence).shown([*name, *first]);
            }
        }
    }
}
