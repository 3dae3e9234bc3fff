//! `ingress-route/deleted-in-use`

use crate::checks::{Actions, Check, Context, Run, When, delegation};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind};

pub static CHECK: Check = Check {
    id: "ingress-route/deleted-in-use",
    // Only warns, so that no configuration can deny a deletion.
    needs: &[Kind::IngressRoute],
    page: include_str!("deleted_in_use.md"),
    when: When::Delete,
    run: Run::IngressRoute(check),
    ..Check::reference(Actions::WARN)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let delegations = delegation::graph_context(route, cx).delegations();
    let Some(delegation) = delegations.first() else { return };
    let (at, name) = (At::field("metadata.name"), route.metadata.name());
    let finding = match delegation.edge {
        Some(edge) => {
            let message = "{other} still delegates `{}` to this object: remove the delegation first";
            found.forbidden(at, name, message).args([&edge.prefix])
        }
        None => {
            found.forbidden(at, name, "{other} still delegates connections to this object: remove the delegation first")
        }
    };
    finding.other(&delegation.by.object_ref).only_warns();
}
