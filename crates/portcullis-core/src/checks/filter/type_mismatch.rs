//! `filter/type-mismatch`

use super::known;
use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;

pub static CHECK: Check = Check {
    id: "filter/type-mismatch",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("type_mismatch.md"),
    run: Run::RouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let (kind, bundle) = (route.kind(), cx.bundle());
    for site in route.filters() {
        let written = &*site.filter.kind;
        if !known::is_known(kind, written, bundle) {
            continue;
        }
        for (owner, field, is_there) in site.filter.fields() {
            match (owner == written, is_there) {
                (true, false) => {
                    found.required(site.at().then(field), "type {} requires `{}`").args([written, field]);
                }
                // The API server drops a field that the schema does not have.
                (false, true) if known::is_known(kind, owner, bundle) => {
                    found
                        .forbidden(site.at().then(field), field, "`{}` must not be set with type {}: remove it")
                        .args([field, written]);
                }
                _ => {}
            }
        }
    }
}
