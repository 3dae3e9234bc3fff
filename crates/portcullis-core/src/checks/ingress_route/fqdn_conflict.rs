//! `ingress-route/fqdn-conflict`

use crate::checks::{Actions, Check, Context, Run, delegation};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingress-route/fqdn-conflict",
    needs: &[Kind::IngressRoute],
    page: include_str!("fqdn_conflict.md"),
    run: Run::IngressRoute(check),
    ..Check::conflict(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    if let Some(virtualhost) = &route.spec.virtualhost {
        delegation::host_taken(Kind::IngressRoute, route.class(), &virtualhost.fqdn, cx, found);
    }
}
