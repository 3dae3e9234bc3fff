//! `httpproxy/route-action`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::{HttpProxy, walk};

pub static CHECK: Check = Check {
    id: "httpproxy/route-action",
    page: include_str!("route_action.md"),
    run: Run::HttpProxy(check),
    ..Check::shape(Actions::DENY)
};

fn check(proxy: &HttpProxy<'_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for (at, route) in walk::http_proxy::routes(proxy) {
        let actions = [
            ("services", !route.services.is_empty()),
            ("requestRedirectPolicy", route.request_redirect_policy.0),
            ("directResponsePolicy", route.direct_response_policy.0),
        ];
        let named: Vec<&str> = actions.into_iter().filter_map(|(name, is_there)| is_there.then_some(name)).collect();
        match named[..] {
            [_] => {}
            [] => {
                let sentence = "a route does something: services, requestRedirectPolicy or directResponsePolicy";
                found.required(at, sentence);
            }
            [ref others @ .., last] => {
                let sentence = "a route does one thing: drop {} or {}";
                found.forbidden(at, &named.join(","), sentence).shown([&*others.join(", "), last]);
            }
        }
    }
}
