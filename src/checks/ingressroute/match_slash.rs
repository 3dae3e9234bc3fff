//! `ingressroute/match-slash`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/match-slash",
    page: include_str!("match_slash.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in walk::ingress_route::routes(route) {
        match path.prefix() {
            "" => {
                found.required(at.then("match"), "a route needs the prefix of its paths, such as `/` for all");
            }
            prefix if !prefix.starts_with('/') => {
                found.invalid(at.then("match"), prefix, "`{}` must start with `/`: no path starts otherwise");
            }
            _ => {}
        }
    }
}
