//! `http-proxy/https-missing`

use crate::checks::{Actions, Check, Context, Run};
use crate::field::At;
use crate::finding::{Cause, Findings};
use crate::kinds::http_proxy::{ProxyRoute, RedirectPolicy};
use crate::kinds::{HttpProxy, walk};
use crate::matching::mark::may_be_challenge;

pub static CHECK: Check = Check {
    id: "http-proxy/https-missing",
    page: include_str!("https_missing.md"),
    requires_https: true,
    run: Run::HttpProxy(check),
    ..Check::policy(Actions::OFF)
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    if let Some(plain) = proxy.spec.virtualhost.as_ref().filter(|virtualhost| virtualhost.tls.is_none()) {
        if !only_redirects(proxy) {
            let template = "host {} is served over plain HTTP: set tls with the Secret of its certificate";
            found.add(Cause::Required, At::field("spec.virtualhost.tls"), &plain.fqdn, template);
        }
        return;
    }
    for (at, route) in walk::http_proxy::routes(proxy).filter(|(_, route)| serves_plain_text(route)) {
        let path = path(route);
        let template = "`{}` is also served over plain HTTP: remove permitInsecure";
        found.forbidden(at.then("permitInsecure"), path, template);
    }
}

/// Whether every request gets a redirect to HTTPS.
fn only_redirects(proxy: &HttpProxy<'_>) -> bool {
    let (routes, spec) = (&proxy.spec.routes, &proxy.spec);
    spec.includes.is_empty() && !routes.is_empty() && routes.iter().all(redirects)
}

fn redirects(route: &ProxyRoute<'_>) -> bool {
    route.request_redirect_policy.as_ref().is_some_and(RedirectPolicy::is_to_https)
}

fn serves_plain_text(route: &ProxyRoute<'_>) -> bool {
    route.permit_insecure && !redirects(route) && !may_be_challenge(path(route))
}

/// The first condition on the path; `/` without one.
fn path<'o>(route: &'o ProxyRoute<'_>) -> &'o str {
    let mut paths = route.conditions.iter().flat_map(|condition| condition.paths());
    paths.next().map_or("/", |(_, path)| &**path)
}
