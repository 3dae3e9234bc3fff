//! `http-route/timeout-order`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{HttpRoute, walk};
use crate::matching::duration;

pub static CHECK: Check = Check {
    id: "http-route/timeout-order",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("timeout_order.md"),
    run: Run::HttpRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &HttpRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, rule, _) in walk::rule::http_rules(route) {
        let Some(timeouts) = &rule.timeouts else { continue };
        let (Some(request), Some(attempt)) = (timeouts.request.as_deref(), timeouts.backend_request.as_deref()) else {
            continue;
        };
        let (Some(whole), Some(part)) = (duration::parse(request), duration::parse(attempt)) else { continue };
        if part > whole && !whole.is_zero() {
            let message = "`{}` for one attempt is longer than `{}` for the whole request";
            found.invalid(at.then("timeouts.backendRequest"), attempt, message).args([attempt, request]);
        }
    }
}
