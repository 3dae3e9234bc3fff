//! `filter/redirect-and-rewrite`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::field::FieldPath;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;

pub static CHECK: Check = Check {
    id: "filter/redirect-and-rewrite",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("redirect_and_rewrite.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
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
