//! `http-route/redirect-and-rewrite-apart`

use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::filter::Filter;
use crate::kinds::walk::RouteParts;

pub static CHECK: Check = Check {
    id: "http-route/redirect-and-rewrite-apart",
    page: include_str!("redirect_and_rewrite_apart.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    let mut of_rule = (usize::MAX, false, false);
    for list in route.filter_lists() {
        if list.backend.is_none() {
            of_rule = (list.rule, list.filters.iter().any(is_redirect), list.filters.iter().any(is_rewrite));
        }
        let (rule, rule_redirects, rule_rewrites) = of_rule;
        if list.backend.is_none() || list.rule != rule {
            continue;
        }
        for (index, filter) in list.filters.iter().enumerate() {
            if rule_redirects && is_rewrite(filter) {
                let message = "a rewrite in a backend, and the rule redirects: it can do one of them";
                found.forbidden(list.element(index).then("urlRewrite"), "", message);
            }
            if rule_rewrites && is_redirect(filter) {
                let message = "a redirect in a backend, and the rule rewrites: it can do one of them";
                found.forbidden(list.element(index).then("requestRedirect"), "", message);
            }
        }
    }
}

fn is_redirect(filter: &Filter<'_>) -> bool {
    filter.request_redirect.is_some()
}

fn is_rewrite(filter: &Filter<'_>) -> bool {
    filter.url_rewrite.is_some()
}
