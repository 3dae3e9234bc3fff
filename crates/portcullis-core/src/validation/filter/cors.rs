//! The rules for CORS filters.

use crate::bundle::Enforced;
use crate::config::Theme;
use crate::finding::{Actions, Findings};
use crate::kinds::walk::{self, RouteParts};
use crate::names;
use crate::validation::{Rule, RuleFn, validators as must};

/// The rules for CORS.
pub const RULES: &[Rule] = &[
    Rule {
        theme: Theme::Policy,
        ..Rule::reported(
            "filter/cors-credentials-for-all",
            include_str!("../../checks/filter/cors_credentials_for_all.md"),
            Actions::WARN,
            RuleFn::HttpRouteParts(credentials_for_all),
        )
    },
    Rule {
        enforced: Some(Enforced::since(1, 5)),
        ..Rule::reported(
            "filter/cors-entry-malformed",
            include_str!("../../checks/filter/cors_entry_malformed.md"),
            Actions::DENY,
            RuleFn::HttpRouteParts(entry_malformed),
        )
    },
    Rule {
        enforced: Some(Enforced::since(1, 5)),
        ..Rule::reported(
            "filter/cors-wildcard-not-alone",
            include_str!("../../checks/filter/cors_wildcard_not_alone.md"),
            Actions::DENY,
            RuleFn::HttpRouteParts(wildcard_not_alone),
        )
    },
];

fn credentials_for_all(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for site in walk::filter::cors(route) {
        if site.cors.allow_credentials == Some(true) && site.cors.allow_origins.iter().any(|origin| &**origin == "*") {
            let template = "credentials must not be allowed for every origin: any web page could act as the user";
            found.forbidden(site.location.at().child("cors.allowCredentials"), "", template);
        }
    }
}

/// The maximum number of entries that are compared. A longer list is rejected because of its length.
const COMPARED: usize = 64;

fn entry_malformed(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for site in walk::filter::cors(route) {
        let [origins, methods, ..] = site.lists();
        let template = "`{}` is not a valid origin: use `*` or an origin such as https://example.com";
        found.each(origins.entries(), must::be(is_origin, template));
        found.each(methods.entries().filter(|(_, method)| *method != "*"), must::http_method);
        if let Some(age) = site.cors.max_age.filter(|age| *age < 1) {
            let at = site.location.at().child("cors.maxAge");
            found.invalid(at, &age.to_string(), "{} seconds are not enough: use 1 or more");
        }
        for list in site.lists() {
            for (index, (at, text)) in list.entries().enumerate().take(COMPARED) {
                if list.texts[..index].iter().any(|earlier| &**earlier == text) {
                    found.duplicate(at, text, "`{}` is listed twice: remove one");
                }
            }
        }
    }
}

/// The maximum number of characters in an origin.
const ORIGIN: usize = 253;

/// Whether the text is `*`, or a scheme, a host (which may begin with `*.` or be `*`) and an optional port.
fn is_origin(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else { return text == "*" };
    let (host, port) = rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port)));
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_host = host == "*" || host.strip_prefix("*.").unwrap_or(host).split('.').all(is_label);
    let is_port = port.is_none_or(|port| (1..=5).contains(&port.len()) && names::is_number(port));
    is_host && is_port && text.len() <= ORIGIN
}

fn wildcard_not_alone(route: &RouteParts<'_, '_>, found: &mut Findings<'_>) {
    for list in walk::filter::cors(route).flat_map(|site| site.lists()) {
        let may_be_all = list.name != "exposeHeaders";
        if may_be_all && list.texts.len() > 1 && list.texts.iter().any(|text| &**text == "*") {
            let template = "`*` must be the only entry of {}: remove it or the others";
            found.invalid(list.at, list.name, template);
        }
    }
}
