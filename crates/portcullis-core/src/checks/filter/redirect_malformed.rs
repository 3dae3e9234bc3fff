//! `filter/redirect-malformed`

use crate::bundle::{Bundle, Enforced};
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::{self, RouteParts};
use crate::names;

/// The first release that supports 303, 307 and 308.
const ALL_STATUSES_SINCE: (u16, u16) = (1, 5);

pub static CHECK: Check = Check {
    id: "filter/redirect-malformed",
    enforced: Some(Enforced::ALWAYS),
    page: include_str!("redirect_malformed.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, cx: &Context<'_>, found: &mut Findings<'_>) {
    for (at, redirect) in walk::filter::redirects(route) {
        if let Some(scheme) = redirect.scheme.as_deref().filter(|scheme| !matches!(*scheme, "http" | "https")) {
            found.not_supported(at.then("scheme"), scheme, "scheme `{}` is not supported: use http or https");
        }
        if let Some(port) = redirect.port.filter(|port| !names::is_port(*port)) {
            found.invalid(
                at.then("port"),
                &port.to_string(),
                "port {} is out of range: use a port between 1 and 65535",
            );
        }
        if let Some(status) = redirect.status_code.filter(|status| !is_redirect(*status, cx.bundle())) {
            let message = "status code {} is not supported: use one of {}";
            let statuses =
                if cx.bundle().release < ALL_STATUSES_SINCE { "301, 302" } else { "301, 302, 303, 307, 308" };
            found
                .not_supported(at.then("statusCode"), &status.to_string(), message)
                .args([&status.to_string(), statuses]);
        }
    }
}

fn is_redirect(status: i64, bundle: Bundle) -> bool {
    matches!(status, 301 | 302) || (matches!(status, 303 | 307 | 308) && bundle.release >= ALL_STATUSES_SINCE)
}
