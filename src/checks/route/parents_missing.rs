//! `route/parents-missing`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::Lookup;
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{Kind, Route};

pub static CHECK: Check = Check {
    id: "route/parents-missing",
    theme: Theme::Reference,
    since: Release(0, 1),
    actions: Actions::WARN,
    stricter: &[],
    enforced: None,
    needs: &[Kind::HttpRoute],
    options: &[],
    page: include_str!("parents_missing.md"),
    run: Run::Route(check),
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // In the words of a draft they are another fault.
    let names_parents = !route.parent_refs().is_empty() || route.drafted().next().is_some();
    if names_parents || route.use_default_gateways().is_some_and(|scope| scope != "None") {
        return;
    }
    // Some implementations lead to HTTPRoutes from other HTTPRoutes.
    let is_led_to =
        route.kind() == Kind::HttpRoute && !matches!(cx.cluster.delegating_route(cx.namespace()), Lookup::Absent);
    if !is_led_to {
        let sentence = "this {} names no parent, so it attaches to nothing; name a Gateway";
        found.required(At::field("spec.parentRefs"), sentence).shown([route.kind().api().kind]);
    }
}
