//! `http-route/redirect-and-rewrite-apart`

use crate::checks::{Actions, Check, Context, Release, Run};
use crate::config::Theme;
use crate::finding::Findings;
use crate::kinds::{HttpRoute, Route, walk};

pub static CHECK: Check = Check {
    id: "http-route/redirect-and-rewrite-apart",
    theme: Theme::Shape,
    since: Release(0, 1),
    actions: Actions::DENY,
    stricter: &[],
    enforced: None,
    needs: &[],
    options: &[],
    page: include_str!("redirect_and_rewrite_apart.md"),
    run: Run::HttpRoute(check),
};

fn check(route: &HttpRoute<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let route = Route::Http(route);
    for site in walk::route::filters(&route).filter(|site| site.backend.is_some()) {
        let Some(rule) = route.rule(site.rule) else { continue };
        let (redirects, rewrites) = (site.filter.request_redirect.is_some(), site.filter.url_rewrite.is_some());
        if rewrites && rule.filters.iter().any(|filter| filter.request_redirect.is_some()) {
            found.forbidden(
                site.at.then("urlRewrite"),
                "",
                "a rewrite in a backend, and the rule redirects: it can do one of them",
            );
        }
        if redirects && rule.filters.iter().any(|filter| filter.url_rewrite.is_some()) {
            found.forbidden(
                site.at.then("requestRedirect"),
                "",
                "a redirect in a backend, and the rule rewrites: it can do one of them",
            );
        }
    }
}
