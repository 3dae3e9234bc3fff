//! `ingressroute/weight-range`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};

pub static CHECK: Check = Check {
    id: "ingressroute/weight-range",
    page: include_str!("weight_range.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for list in walk::ingress_route::service_lists(route) {
        let mut sum: i64 = 0;
        for (position, service) in list.services.iter().enumerate() {
            let weight = service.weight.unwrap_or_default();
            if weight < 0 {
                found.invalid(list.element(position).then("weight"), &weight.to_string(), "weight {} is below 0");
            }
            sum = sum.saturating_add(weight.max(0));
        }
        if sum > i64::from(u32::MAX) {
            found.invalid(list.at(), &sum.to_string(), "the weights add up to {}, more than 4294967295");
        }
    }
}
