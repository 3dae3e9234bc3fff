//! `ingressroute/delegate-ref`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};
use crate::names;

pub static CHECK: Check = Check {
    id: "ingressroute/delegate-ref",
    page: include_str!("delegate_ref.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, delegate) in walk::ingress_route::delegates(route) {
        match &*delegate.name {
            "" => {
                found.required(at.then("name"), "a delegation needs the name of the IngressRoute that decides");
            }
            name if !names::is_subdomain(name) => {
                found.malformed(
                    at.then("name"),
                    name,
                    "`{}` is no IngressRoute's name: words of `a-z0-9-` between dots",
                );
            }
            _ => {}
        }
        let namespace = delegate.namespace.as_deref().unwrap_or_default();
        if !namespace.is_empty() && !names::is_label(namespace) {
            let sentence = "`{}` is no namespace: at most 63 of `a-z0-9-`, no `-` at an end";
            found.malformed(at.then("namespace"), namespace, sentence);
        }
    }
}
