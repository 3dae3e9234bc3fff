//! `ingress-route/role-changed-in-use`

use crate::checks::{Actions, Check, Context, Run, When, delegation};
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind, Object, walk};

pub static CHECK: Check = Check {
    id: "ingress-route/role-changed-in-use",
    needs: &[Kind::IngressRoute],
    page: include_str!("role_changed_in_use.md"),
    when: When::Update,
    run: Run::IngressRoute(check),
    ..Check::conflict(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let Some(Object::IngressRoute(old)) = cx.old else { return };
    let graph = delegation::graph_context(route, cx);
    let at = At::field("spec.virtualhost");
    match (&old.spec.virtualhost, &route.spec.virtualhost) {
        // A root that changes its class counts as new, because no object of the new class could delegate to it before.
        (before, Some(virtualhost)) if before.is_none() || old.class() != route.class() => {
            if let Some(by) = delegation::nearest(&graph.delegations(), cx) {
                let message = "{other} delegates to this object, so it must not become a root";
                let finding = found.invalid(at, &virtualhost.fqdn, message).other(by);
                if by.namespace != cx.namespace() {
                    finding.only_warns();
                }
            }
        }
        (Some(virtualhost), None) => {
            let mut targets = walk::ingress_route::delegates(route).map(|(_, to)| delegation::target_of(to, cx));
            if let Some(child) = targets.find(|target| graph.vertex(target).is_some()) {
                let message = "{other} serves part of {} through this root and would be orphaned: move it first";
                found.invalid(at, &virtualhost.fqdn, message).other(&child).only_warns();
            }
        }
        _ => {}
    }
}
