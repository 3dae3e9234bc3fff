//! `filter/redirect-and-rewrite`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::field::FieldPath;
use crate::finding::Findings;
use crate::kinds::{HttpRoute, Route, walk};

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
    run: Run::HttpRoute(check),
};

fn check(route: &HttpRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for list in walk::route::filter_lists(&Route::Http(route)) {
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
