//! `http-route/redirect-with-backends`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{HttpRoute, Route, walk};

pub static CHECK: Check = Check {
    id: "http-route/redirect-with-backends",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("redirect_with_backends.md"),
    run: Run::HttpRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &HttpRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let route = Route::Http(route);
    for (at, rule) in walk::route::rules(&route) {
        if !rule.backend_refs.is_empty() && rule.filters.iter().any(|filter| filter.request_redirect.is_some()) {
            let count = rule.backend_refs.len().to_string();
            found
                .forbidden(at.then("backendRefs"), "", "a rule that redirects asks no backend, and this one names {}")
                .args([count]);
        }
    }
}
