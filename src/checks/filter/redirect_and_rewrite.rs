//! `filter/redirect-and-rewrite`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::field::FieldPath;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;

pub static CHECK: Check = Check {
    id: "filter/redirect-and-rewrite",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("redirect_and_rewrite.md"),
    run: Run::HttpRouteParts(check),
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for list in route.filter_lists() {
        let has = |kind| list.filters.iter().any(|filter| &*filter.kind == kind);
        if has("RequestRedirect") && has("URLRewrite") {
            found.forbidden(
                FieldPath::from(list.at()),
                "",
                "a redirect and a rewrite in one list of filters: it can do one of them",
            );
        }
    }
}
