//! `ingress-route/delegation-cycle`

use crate::checks::{Actions, Check, Context, Run, delegation};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind, walk};

pub static CHECK: Check = Check {
    id: "ingress-route/delegation-cycle",
    needs: &[Kind::IngressRoute],
    page: include_str!("delegation_cycle.md"),
    run: Run::IngressRoute(check),
    ..Check::conflict(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let graph = delegation::graph_context(route, cx);
    let above = graph.above();
    for (at, delegate) in walk::ingress_route::delegates(route) {
        let target = delegation::target_of(delegate, cx);
        if graph.vertex(&target).is_none() {
            continue;
        }
        let Some(cycle) = above.cycle(&target) else { continue };
        let names: Vec<String> =
            cycle.iter().map(|object_ref| format!("{}/{}", object_ref.namespace, object_ref.name)).collect();
        let value = names.join(" ");
        let (finding, shown) = (found.invalid(at, &value, "this closes a cycle: {}"), names.join(" -> "));
        match cycle.iter().all(|object_ref| object_ref.namespace == cx.namespace()) {
            true => finding.args([shown]),
            false => finding.args([""; 0]).redactable(&shown, "through other namespaces"),
        };
    }
}
