//! `ingressroute/routes-non-empty`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::IngressRoute;

pub static CHECK: Check = Check {
    id: "ingressroute/routes-non-empty",
    page: include_str!("routes_non_empty.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if route.spec.routes.is_empty() && route.spec.tcpproxy.is_none() {
        found.required(At::field("spec.routes"), "without a route nothing is served: give at least one");
    }
}
