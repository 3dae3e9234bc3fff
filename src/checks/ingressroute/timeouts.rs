//! `ingressroute/timeouts`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};
use crate::matching::go_duration;

pub static CHECK: Check = Check {
    id: "ingressroute/timeouts",
    page: include_str!("timeouts.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in walk::ingress_route::routes(route) {
        let Some(request) = path.timeout_policy.as_ref().and_then(|policy| policy.request.as_deref()) else { continue };
        if matches!(request, "" | "infinity") {
            continue;
        }
        if !go_duration::is_time(request) {
            let sentence = "`{}` is no time such as 5s, 150ms or infinity: it would be read as infinity";
            found.invalid(at.then("timeoutPolicy.request"), request, sentence);
        }
    }
}
