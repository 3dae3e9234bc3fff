//! `filter/header-value-malformed`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Enforced;
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;
use crate::names;

/// Where the schema itself wants visible characters.
const REFUSED: Enforced = Enforced::experimental(1, 5);

pub static CHECK: Check = Check {
    id: "filter/header-value-malformed",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::experimental(1, 5)),
    needs: &[],
    options: &[],
    page: include_str!("header_value_malformed.md"),
    run: Run::RouteParts(check),
};

fn check(route: &RouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, header) in route.header_modifiers().iter().flat_map(|site| site.values()) {
        let value = &*header.value;
        if value.is_empty() || names::is_visible_words(value) {
            continue;
        }
        let finding = found.invalid(at.then("value"), value, "value `{}` must be visible ASCII with single spaces");
        if !value.contains(['\r', '\n', '\0']) && !REFUSED.holds_in(cx.bundle()) {
            finding.only_warns();
        }
    }
}
