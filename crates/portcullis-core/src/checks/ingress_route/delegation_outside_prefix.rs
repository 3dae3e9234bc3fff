//! `ingress-route/delegation-outside-prefix`

use super::breach::{self, Routes};
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingress-route/delegation-outside-prefix",
    needs: &[Kind::IngressRoute],
    page: include_str!("delegation_outside_prefix.md"),
    run: Run::IngressRoute(check),
    ..Check::tenancy(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    breach::of_this(Routes::Delegated, route, cx, found);
    breach::of_targets(Routes::Delegated, route, cx, found);
}
