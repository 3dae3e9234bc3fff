//! `route/rules-too-many`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::cluster::{Channel, Enforced};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::Route;

/// The most rules of a route.
const MOST: usize = 16;

pub static CHECK: Check = Check {
    id: "route/rules-too-many",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: Some(Enforced::ALWAYS),
    needs: &[],
    options: &[],
    page: include_str!("rules_too_many.md"),
    run: Run::Route(check),
};

fn check(route: &Route<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    // The experimental channel also serves the alpha versions of routes of connections, which had as many as the others.
    let is_single = route.is_l4() && cx.cluster.schema(route.kind()).bundle.channel == Channel::Standard;
    let most = if is_single { 1 } else { MOST };
    let count = route.rule_count();
    if count > most {
        let (count, most) = (count.to_string(), most.to_string());
        let template = "{} rules; this {} may have at most {}";
        found.invalid(At::field("spec.rules"), &count, template).shown([&count, route.kind().api().kind, &most]);
    }
}
