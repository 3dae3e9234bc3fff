//! `ingressroute/prefix-rewrite`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/prefix-rewrite",
    page: include_str!("prefix_rewrite.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in walk::ingress_route::routes(route) {
        let Some(rewrite) = path.prefix_rewrite.as_deref().filter(|rewrite| !rewrite.is_empty()) else { continue };
        if !rewrite.starts_with('/') {
            found.invalid(
                at.then("prefixRewrite"),
                rewrite,
                "`{}` must start with `/`: a path starts with nothing else",
            );
        }
    }
}
