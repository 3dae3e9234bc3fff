//! `ingressroute/strategy`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::ingress_route::STRATEGIES;
use crate::kinds::walk::IngressRouteParts;

pub static CHECK: Check = Check {
    id: "ingressroute/strategy",
    page: include_str!("strategy.md"),
    run: Run::IngressRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, strategy) in route.strategies() {
        match &**strategy {
            "" => {}
            known if STRATEGIES.contains(&known) => {}
            "RingHash" | "Maglev" => {
                let sentence = "`{}` was dropped by Contour itself; for sticky clients there is Cookie";
                found.not_supported(at.then("strategy"), strategy, sentence);
            }
            _ => {
                let sentence = "`{}` is none of RoundRobin, WeightedLeastRequest, Random, Cookie";
                found.not_supported(at.then("strategy"), strategy, sentence);
            }
        }
    }
}
