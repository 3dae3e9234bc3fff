//! The rules for the timeouts of an HTTPRoute.

use crate::bundle::Enforced;
use crate::finding::{Actions, Findings};
use crate::kinds::{HttpRoute, duration, walk};
use crate::validation::{Rule, RuleFn, validators as must};

/// The rules for timeouts.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "http-route/retry-never",
        include_str!("../../checks/http_route/retry_never.md"),
        Actions::WARN,
        RuleFn::HttpRoute(retry_never),
    ),
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "http-route/timeout-malformed",
            include_str!("../../checks/http_route/timeout_malformed.md"),
            Actions::DENY,
            RuleFn::HttpRoute(|route, found| {
                let timeouts = walk::rule::timeouts(route);
                found.each(timeouts.map(|(at, name, written)| (at.child(name), &**written)), must::gateway_duration)
            }),
        )
    },
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "http-route/timeout-order",
            include_str!("../../checks/http_route/timeout_order.md"),
            Actions::DENY,
            RuleFn::HttpRoute(timeout_order),
        )
    },
];

fn retry_never(route: &HttpRoute<'_>, found: &mut Findings<'_>) {
    for (at, rule, _) in walk::rule::http_rules(route) {
        let request = rule.timeouts.as_ref().and_then(|timeouts| timeouts.request.as_deref());
        let backoff = rule.retry.as_deref().and_then(|retry| retry.backoff.as_deref());
        let (Some(request), Some(backoff)) = (request, backoff) else { continue };
        let (Some(whole), Some(wait)) = (duration::parse(request), duration::parse(backoff)) else { continue };
        if wait >= whole && !whole.is_zero() {
            let template = "a backoff of `{}` prevents every retry: it must be shorter than the request timeout `{}`";
            found.invalid(at.child("retry.backoff"), backoff, template).args([backoff, request]);
        }
    }
}

fn timeout_order(route: &HttpRoute<'_>, found: &mut Findings<'_>) {
    for (at, rule, _) in walk::rule::http_rules(route) {
        let Some(timeouts) = &rule.timeouts else { continue };
        let (Some(request), Some(attempt)) = (timeouts.request.as_deref(), timeouts.backend_request.as_deref()) else {
            continue;
        };
        let (Some(whole), Some(part)) = (duration::parse(request), duration::parse(attempt)) else { continue };
        if part > whole && !whole.is_zero() {
            let template = "backendRequest `{}` must not be longer than request `{}`";
            found.invalid(at.child("timeouts.backendRequest"), attempt, template).args([attempt, request]);
        }
    }
}
