//! `ingressroute/delegate-to-root`

use crate::checks::{Actions, Check, Context, Operation, Release, Run, delegation};
use crate::config::Theme;
use crate::field::At;
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind, ObjectRef, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/delegate-to-root",
    theme: Theme::Conflict,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[Kind::IngressRoute],
    options: &[],
    page: include_str!("delegate_to_root.md"),
    run: Run::IngressRoute(check),
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let near = delegation::neighbours(route.class(), cx);
    for (at, delegate) in walk::ingress_route::delegates(route) {
        let target = ObjectRef::new(Kind::IngressRoute, delegate.namespace_from(cx.namespace()), &delegate.name);
        if near.other(&target).is_some_and(|facts| facts.root.is_some()) {
            let sentence = "{other} is a root with its own host: only a vertex takes delegations";
            found.invalid(at, &delegate.name, sentence).other(&target);
        }
    }
    // What others delegated to a place before there was anything makes its first owner no less of a contradiction.
    let is_new_root = route.spec.virtualhost.is_some() && cx.operation == Operation::Create;
    let delegations = if is_new_root { near.live_edges() } else { Vec::new() };
    if let Some((delegator, _)) = delegations.first() {
        let sentence = "{other} delegates to this object: leave out virtualhost, or it breaks";
        found.invalid(At::field("spec.virtualhost"), "", sentence).other(&delegator.place);
    }
}
