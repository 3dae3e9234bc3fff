//! `ingressroute/route-action`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/route-action",
    page: include_str!("route_action.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in walk::ingress_route::routes(route) {
        match (path.services().1.is_empty(), &path.delegate) {
            (true, None) => {
                let sentence = "route `{}` leads nowhere: give it services, or delegate it";
                found.invalid(at, path.prefix(), sentence);
            }
            (false, Some(_)) => {
                let sentence = "route `{}` has services and delegates: leave one of the two out";
                found.invalid(at, path.prefix(), sentence);
            }
            _ => {}
        }
    }
}
