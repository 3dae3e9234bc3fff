//! `ingress-route/orphaned`

use crate::checks::{Actions, Check, Context, Operation, Run, delegation};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingress-route/orphaned",
    needs: &[Kind::IngressRoute],
    page: include_str!("orphaned.md"),
    run: Run::IngressRoute(check),
    ..Check::reference(Actions::WARN)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let is_new = matches!(cx.operation, Operation::Create | Operation::Stored);
    if !is_new || route.spec.virtualhost.is_some() || !cx.cluster.knows_referrers(Kind::IngressRoute) {
        return;
    }
    if !delegation::graph_context(route, cx).is_below_a_root() {
        let message = "no root delegates to `{}`, directly or indirectly: it serves nothing until one does";
        found.not_found(At::field("metadata.name"), route.metadata.name(), message);
    }
}
