//! `ingressroute/delegate-escape`

use super::breach::{self, Routes};
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingressroute/delegate-escape",
    needs: &[Kind::IngressRoute],
    page: include_str!("delegate_escape.md"),
    run: Run::IngressRoute(check),
    ..Check::tenancy(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    breach::of_this(Routes::Delegated, route, cx, found);
    breach::of_targets(Routes::Delegated, route, cx, found);
}
