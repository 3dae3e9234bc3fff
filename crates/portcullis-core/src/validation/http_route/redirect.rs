//! The rules for an HTTPRoute that redirects requests or rewrites their paths.

use crate::bundle::Enforced;
use crate::finding::{Actions, Findings};
use crate::kinds::filter::Filter;
use crate::kinds::walk::{self, RouteParts};
use crate::kinds::{HttpRoute, Route};
use crate::validation::{Rule, RuleFn};

/// The rules for redirects and rewrites.
pub const RULES: &[Rule] = &[
    Rule::reported(
        "http-route/prefix-replaced-without-prefix",
        include_str!("../../checks/http_route/prefix_replaced_without_prefix.md"),
        Actions::DENY,
        RuleFn::HttpRouteParts(prefix_replaced_without_prefix),
    ),
    Rule::reported(
        "http-route/redirect-and-rewrite-apart",
        include_str!("../../checks/http_route/redirect_and_rewrite_apart.md"),
        Actions::DENY,
        RuleFn::HttpRouteParts(redirect_and_rewrite_apart),
    ),
    Rule::reported(
        "http-route/redirect-in-backend",
        include_str!("../../checks/http_route/redirect_in_backend.md"),
        Actions::WARN,
        RuleFn::HttpRouteParts(redirect_in_backend),
    ),
    Rule {
        enforced: Some(Enforced::ALWAYS),
        ..Rule::reported(
            "http-route/redirect-with-backends",
            include_str!("../../checks/http_route/redirect_with_backends.md"),
            Actions::DENY,
            RuleFn::HttpRoute(redirect_with_backends),
        )
    },
];

fn prefix_replaced_without_prefix(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    let Route::Http(own) = route.route() else { return };
    for (at, path, site) in walk::filter::path_modifiers(route) {
        if &*path.kind != "ReplacePrefixMatch" || path.replace_prefix_match.is_none() {
            continue;
        }
        let Some(rule) = own.spec.rules().get(site.location.rule) else { continue };
        let template = match &rule.matches[..] {
            // If `matches` is absent, the API server adds a match for the prefix `/`.
            [] if !rule.matches.is_written() => continue,
            [] => "ReplacePrefixMatch requires exactly one PathPrefix match, but `matches` is empty",
            [only] if only.path.as_ref().is_none_or(|path| path.kind() == "PathPrefix") => continue,
            [_] => "ReplacePrefixMatch requires a match of type PathPrefix",
            _ => "ReplacePrefixMatch requires exactly one PathPrefix match, not {} matches",
        };
        found.invalid(at.named("replacePrefixMatch"), "", template).args([rule.matches.len().to_string()]);
    }
}

fn redirect_and_rewrite_apart(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
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
                let template = "a backend must not rewrite requests that its rule redirects: remove one filter";
                found.forbidden(list.element(index).child("urlRewrite"), "", template);
            }
            if rule_rewrites && is_redirect(filter) {
                let template = "a backend must not redirect requests that its rule rewrites: remove one filter";
                found.forbidden(list.element(index).child("requestRedirect"), "", template);
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

fn redirect_in_backend(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for site in route.filters().iter().filter(|site| site.location.backend.is_some()) {
        if site.filter.request_redirect.is_some() {
            let template = "a backend with a redirect is never used: redirect in the rule instead";
            found.forbidden(site.at().child("requestRedirect"), "", template);
        }
    }
}

fn redirect_with_backends(route: &HttpRoute<'_>, found: &mut Findings<'_>) {
    for (at, rule) in walk::route::rules(&Route::Http(route)) {
        if !rule.backend_refs.is_empty() && rule.filters.iter().any(is_redirect) {
            let count = rule.backend_refs.len().to_string();
            let template = "a rule that redirects must not have backends; this rule has {}";
            found.forbidden(at.child("backendRefs"), "", template).args([count]);
        }
    }
}
