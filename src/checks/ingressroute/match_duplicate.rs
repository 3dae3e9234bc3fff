//! `ingressroute/match-duplicate`

use hashbrown::HashSet;

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/match-duplicate",
    page: include_str!("match_duplicate.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut seen = HashSet::with_capacity(route.spec.routes.len());
    for (at, path) in walk::ingress_route::routes(route).filter(|(_, path)| path.prefix().starts_with('/')) {
        if !seen.insert(path.prefix().trim_end_matches('/')) {
            let sentence = "`{}` is the match of another route already: only one of them can answer";
            found.duplicate(at.then("match"), path.prefix(), sentence);
        }
    }
}
