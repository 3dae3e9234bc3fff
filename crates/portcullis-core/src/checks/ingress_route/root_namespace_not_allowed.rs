//! `ingress-route/root-namespace-not-allowed`

use crate::checks::{Actions, Check, Context, Run, delegation};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingress-route/root-namespace-not-allowed",
    page: include_str!("root_namespace_not_allowed.md"),
    run: Run::IngressRoute(check),
    ..Check::tenancy(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if route.spec.virtualhost.is_some() {
        delegation::root_outside(Kind::IngressRoute, cx, found);
    }
}
