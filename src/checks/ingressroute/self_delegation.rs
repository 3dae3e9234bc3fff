//! `ingressroute/self-delegation`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/self-delegation",
    page: include_str!("self_delegation.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, delegate) in walk::ingress_route::delegates(route).filter(|(_, delegate)| !delegate.name.is_empty()) {
        let namespace = delegate.namespace_from(cx.namespace());
        if namespace == cx.namespace() && *delegate.name == *cx.this.name {
            found.invalid(at, &delegate.name, "`{}` delegates to itself: that leads nowhere");
        }
    }
}
