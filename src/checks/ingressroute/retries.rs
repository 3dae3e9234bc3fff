//! `ingressroute/retries`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{IngressRoute, walk};
use crate::matching::go_duration;

pub static CHECK: Check = Check {
    id: "ingressroute/retries",
    page: include_str!("retries.md"),
    run: Run::IngressRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &IngressRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, path) in walk::ingress_route::routes(route) {
        let Some(policy) = &path.retry_policy else { continue };
        if let Some(count) = policy.count.filter(|count| *count < 0) {
            found.invalid(at.then("retryPolicy.count"), &count.to_string(), "a request cannot be tried again {} times");
        }
        let attempt = policy.per_try_timeout.as_deref().unwrap_or_default();
        if !attempt.is_empty() && !go_duration::is_time(attempt) {
            let sentence = "`{}` is no time such as 5s or 150ms: it would be read as none";
            found.invalid(at.then("retryPolicy.perTryTimeout"), attempt, sentence);
        }
    }
}
