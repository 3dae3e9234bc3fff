//! `ingress-route/delegation-not-consented`

use crate::checks::{Actions, Check, Context, Run, delegation};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, Kind, walk};
use crate::names::glob;

pub static CHECK: Check = Check {
    id: "ingress-route/delegation-not-consented",
    needs: &[Kind::IngressRoute],
    page: include_str!("delegation_not_consented.md"),
    run: Run::IngressRoute(check),
    ..Check::tenancy(Actions::OFF)
};

fn check(route: &IngressRoute<'_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    let graph = delegation::graph_context(route, cx);
    for (at, delegate) in walk::ingress_route::delegates(route) {
        let target = delegation::target_of(delegate, cx);
        let Some(consent) = graph.vertex(&target).and_then(|facts| facts.consent.as_deref()) else { continue };
        let this = format!("{}/{}", cx.namespace(), cx.this.name);
        if !consent.split(',').any(|pattern| glob(pattern.trim(), &this)) {
            let message = "{other} does not consent to delegation from {}";
            found.forbidden(at, &delegate.name, message).args([this]).other(&target);
        }
    }
}
