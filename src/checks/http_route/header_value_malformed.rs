//! `http-route/header-value-malformed`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::kinds::walk::rule::HeaderSite;
use crate::names;

/// Where the schema itself refuses it.
const REFUSED: Enforced = Enforced::experimental(1, 5);

pub static CHECK: Check = Check {
    id: "http-route/header-value-malformed",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::experimental(1, 5)),
    needs: &[],
    options: &[],
    page: include_str!("header_value_malformed.md"),
    run: Run::HttpRouteParts(check),
};

fn check(route: &RouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for HeaderSite { at, header } in route.headers() {
        let value = &*header.value;
        if value.is_empty() || names::is_visible_words(value) {
            continue;
        }
        let sentence = "value `{}` must be visible ASCII with single spaces: a request's may be changed on its way";
        let finding = found.invalid(at.then("value"), value, sentence);
        if !value.contains(['\r', '\n', '\0']) && !REFUSED.holds_in(cx.bundle()) {
            finding.only_warns();
        }
    }
}
