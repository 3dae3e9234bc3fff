//! `http-route/redirect-in-backend`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::RouteParts;

pub static CHECK: Check = Check {
    id: "http-route/redirect-in-backend",
    page: include_str!("redirect_in_backend.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::WARN)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for site in route.filters().iter().filter(|site| site.place.backend.is_some()) {
        if site.filter.request_redirect.is_some() {
            found.forbidden(
                site.at().then("requestRedirect"),
                "",
                "a redirect in a backend, which is then never asked: redirect in the rule",
            );
        }
    }
}
