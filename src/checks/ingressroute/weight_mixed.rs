//! `ingressroute/weight-mixed`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/weight-mixed",
    page: include_str!("weight_mixed.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for list in walk::ingress_route::service_lists(route).filter(|list| list.services.len() > 1) {
        let weights = || list.services.iter().map(|service| service.weight);
        if weights().all(|weight| weight == Some(0)) {
            found.invalid(list.at(), "0", "every weight is {}: that is an even split, not an end of traffic");
        } else if weights().flatten().any(|weight| weight != 0) {
            for (position, service) in list.services.iter().enumerate().filter(|(_, service)| service.weight.is_none())
            {
                let sentence = "`{}` has no weight beside services that have one, so it gets nothing";
                found.invalid(list.element(position).then("weight"), &service.name, sentence);
            }
        }
    }
}
