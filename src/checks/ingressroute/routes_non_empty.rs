//! `ingressroute/routes-non-empty`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;

pub static CHECK: Check = Check {
    id: "ingressroute/routes-non-empty",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("routes_non_empty.md"),
    run: Run::IngressRoute(check),
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if route.spec.routes.is_empty() && route.spec.tcpproxy.is_none() {
        found.required(At::field("spec.routes"), "without a route nothing is served: give at least one");
    }
}
