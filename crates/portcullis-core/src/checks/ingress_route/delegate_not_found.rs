//! `ingress-route/delegate-not-found`

use crate::checks::{Actions, Check, Context, Run, delegation};
use crate::finding::Findings;
use crate::kinds::ingress_route::DEFAULT_CLASS;
use crate::kinds::{IngressRoute, Kind, walk};
use crate::routing::delegation::DelegationTarget;

pub static CHECK: Check = Check {
    id: "ingress-route/delegate-not-found",
    needs: &[Kind::IngressRoute],
    page: include_str!("delegate_not_found.md"),
    run: Run::IngressRoute(check),
    ..Check::reference(Actions::WARN)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let graph = delegation::graph_context(route, cx);
    for (at, delegate) in walk::ingress_route::delegates(route).filter(|(_, delegate)| !delegate.name.is_empty()) {
        let target = delegation::target_of(delegate, cx);
        match graph.target(&target) {
            DelegationTarget::Missing => {
                let message = "{other} not found: this delegation has no effect until it exists";
                found.not_found(at, &delegate.name, message).other(&target).suggest(cx.cluster.similar(&target));
            }
            DelegationTarget::OtherClass(facts) => {
                let class = facts.class.as_deref().unwrap_or(DEFAULT_CLASS);
                let class = format!("class `{class}`");
                let message = "{other} has {}: give both objects the same class";
                let finding = found.not_found(at, &delegate.name, message).other(&target);
                match target.namespace == cx.namespace() {
                    true => finding.args([class]),
                    false => finding.args([""; 0]).redactable(&class, "another class"),
                };
            }
            _ => {}
        }
    }
}
