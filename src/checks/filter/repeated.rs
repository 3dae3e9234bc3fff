//! `filter/repeated`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{Route, walk};

/// The types that a list holds once.
const ONCE: [&str; 5] = ["RequestHeaderModifier", "ResponseHeaderModifier", "RequestRedirect", "URLRewrite", "CORS"];

pub static CHECK: Check = Check {
    id: "filter/repeated",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::since(1, 5)),
    needs: &[],
    options: &[],
    page: include_str!("repeated.md"),
    run: Run::Route(check),
};

fn check(route: &Route<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for list in walk::route::filter_lists(route) {
        for (index, filter) in list.filters.iter().enumerate().skip(1) {
            let is_first = list.filters[..index].iter().all(|earlier| earlier.kind != filter.kind);
            if ONCE.contains(&&*filter.kind) && !is_first {
                found.duplicate(
                    list.element(index).then("type"),
                    &filter.kind,
                    "a second filter of type {}: one list holds one",
                );
            }
        }
    }
}
