//! `http-route/retry-never`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{HttpRoute, walk};
use crate::matching::duration;

pub static CHECK: Check = Check {
    id: "http-route/retry-never",
    page: include_str!("retry_never.md"),
    run: Run::HttpRoute(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &HttpRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, rule, _) in walk::rule::http_rules(route) {
        let request = rule.timeouts.as_ref().and_then(|timeouts| timeouts.request.as_deref());
        let backoff = rule.retry.as_deref().and_then(|retry| retry.backoff.as_deref());
        let (Some(request), Some(backoff)) = (request, backoff) else { continue };
        let (Some(whole), Some(wait)) = (duration::parse(request), duration::parse(backoff)) else { continue };
        if wait >= whole && !whole.is_zero() {
            let message = "a wait of `{}` before the next attempt outlasts the request's `{}`: it is never tried again";
            found.invalid(at.then("retry.backoff"), backoff, message).args([backoff, request]);
        }
    }
}
