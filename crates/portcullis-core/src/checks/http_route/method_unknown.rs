//! `http-route/method-unknown`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{HttpRoute, walk};

pub static CHECK: Check = Check {
    id: "http-route/method-unknown",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("method_unknown.md"),
    run: Run::HttpRoute(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &HttpRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, matched, _) in walk::rule::http_matches(route) {
        let Some(method) = matched.method.as_deref() else { continue };
        if !matches!(method, "GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "CONNECT" | "OPTIONS" | "TRACE" | "PATCH") {
            let message = match method.bytes().any(|byte| byte.is_ascii_lowercase()) {
                true => "method `{}` must be one of HTTP's own, in upper case",
                false => "method `{}` must be one of HTTP's own, such as GET",
            };
            found.not_supported(at.then("method"), method, message);
        }
    }
}
