//! `filter/cors-entry-malformed`

use crate::bundle::Enforced;
use crate::checks::{Actions, Check, Context, Run};
use crate::finding::Findings;
use crate::kinds::walk::{self, RouteParts};
use crate::names;

/// The most characters of an origin.
const LONGEST: usize = 253;

/// How many entries are compared; a longer list is refused for its length.
const LONGEST_LIST: usize = 64;

pub static CHECK: Check = Check {
    id: "filter/cors-entry-malformed",
    enforced: Some(Enforced::since(1, 5)),
    page: include_str!("cors_entry_malformed.md"),
    run: Run::HttpRouteParts(check),
    ..Check::shape(Actions::DENY)
};

fn check(route: &RouteParts<'_, '_>, _: &Context<'_>, found: &mut Findings<'_>) {
    for site in walk::filter::cors(route) {
        let [origins, methods, ..] = site.lists();
        for (at, origin) in origins.entries().filter(|(_, origin)| !is_origin(origin)) {
            let message = "origin `{}` must be `*` or scheme and host without a path";
            found.invalid(at, origin, message);
        }
        for (at, method) in methods.entries().filter(|(_, method)| !is_method(method)) {
            found.not_supported(at, method, "method `{}` must be `*` or one of HTTP's own, such as GET");
        }
        if let Some(age) = site.cors.max_age.filter(|age| *age < 1) {
            found.invalid(
                site.place.at().then("cors.maxAge"),
                &age.to_string(),
                "a maximum age of {} must be at least 1 second",
            );
        }
        for list in site.lists() {
            for (index, (at, text)) in list.entries().enumerate().take(LONGEST_LIST) {
                if list.texts[..index].iter().any(|earlier| &**earlier == text) {
                    found.duplicate(at, text, "`{}` stands in the list twice");
                }
            }
        }
    }
}

/// `*`, or a scheme, a host that may begin with `*.` or be `*`, and perhaps a port.
fn is_origin(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://")) else { return text == "*" };
    let (host, port) = rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port)));
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    let is_host = host == "*" || host.strip_prefix("*.").unwrap_or(host).split('.').all(is_label);
    let is_port = port.is_none_or(|port| (1..=5).contains(&port.len()) && names::is_number(port));
    is_host && is_port && text.len() <= LONGEST
}

fn is_method(text: &str) -> bool {
    matches!(text, "*" | "GET" | "HEAD" | "POST" | "PUT" | "DELETE" | "CONNECT" | "OPTIONS" | "TRACE" | "PATCH")
}
