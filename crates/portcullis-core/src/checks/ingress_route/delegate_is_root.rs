//! `ingress-route/delegate-is-root`

use crate::checks::{Actions, Check, Context, Operation, Run, delegation};
use crate::cluster::Lookup;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind, walk};
use crate::routing::delegation::DelegationTarget;

pub static CHECK: Check = Check {
    id: "ingress-route/delegate-is-root",
    needs: &[Kind::IngressRoute],
    page: include_str!("delegate_is_root.md"),
    run: Run::IngressRoute(check),
    ..Check::conflict(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let graph = delegation::graph_context(route, cx);
    for (at, delegate) in walk::ingress_route::delegates(route) {
        let target = delegation::target_of(delegate, cx);
        match graph.target(&target) {
            DelegationTarget::Root(_) => {
                let message = "{other} is a root: delegate to an IngressRoute without virtualhost";
                found.invalid(at, &delegate.name, message).other(&target);
            }
            // A root in a namespace that may not contain roots must not deny writes to objects that delegate to it.
            DelegationTarget::Misplaced(_) => {
                let message =
                    "{other} is a root in a namespace where roots are not allowed: this delegation has no effect";
                found.invalid(at, &delegate.name, message).other(&target).only_warns();
            }
            _ => {}
        }
    }
    // Other objects may have delegated to this name before the object existed or could be decoded. Creating it as a
    // root contradicts them too.
    let was_unreadable = || matches!(cx.cluster.delegation(cx.this), Lookup::Found(facts) if facts.is_unreadable());
    let is_new_root = graph.is_root && (cx.operation == Operation::Create || was_unreadable());
    let delegations = if is_new_root { graph.delegations() } else { Vec::new() };
    if let Some(by) = delegation::nearest(&delegations, cx) {
        let message = "{other} delegates to this object, so it must not have a virtualhost";
        let finding = found.invalid(At::field("spec.virtualhost"), "", message).other(by);
        if by.namespace != cx.namespace() {
            finding.only_warns();
        }
    }
}
