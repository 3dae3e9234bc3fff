//! Annotations of routing controllers: their prefixes, and the keys whose values naturally have several lines.

use crate::names::glob;

/// The prefixes of the annotations that Ingress controllers read, in alphabetical order.
const ROUTING_PREFIXES: &[&str] = &[
    "alb.ingress.kubernetes.io/",
    "appgw.ingress.kubernetes.io/",
    "haproxy-ingress.github.io/",
    "haproxy.com/",
    "haproxy.org/",
    "higress.io/",
    "ingress.cilium.io/",
    "ingress.kubernetes.io/",
    "k8s.apisix.apache.org/",
    "konghq.com/",
    "nginx.com/",
    "nginx.ingress.kubernetes.io/",
    "nginx.org/",
    "projectcontour.io/",
    "traefik.ingress.kubernetes.io/",
    "zalando.org/",
];

/// The prefixes of controllers that insert annotations into the text of a proxy's configuration, where a line break may
/// end a directive. Other controllers pass them to an API or to a proxy as data. In alphabetical order.
const TEXT_PREFIXES: &[&str] = &[
    "haproxy-ingress.github.io/",
    "haproxy.com/",
    "haproxy.org/",
    "ingress.kubernetes.io/",
    "nginx.com/",
    "nginx.ingress.kubernetes.io/",
    "nginx.org/",
];

/// Keys whose controllers document values with several lines: JSON, YAML, one header or address per line, a chain of
/// filters, sections of configuration. A trailing `*` matches any text.
const MULTI_LINE: &[&str] = &[
    "alb.ingress.kubernetes.io/actions.*",
    "alb.ingress.kubernetes.io/auth-idp-*",
    "alb.ingress.kubernetes.io/conditions.*",
    "alb.ingress.kubernetes.io/jwt-validation",
    "alb.ingress.kubernetes.io/listen-ports",
    "alb.ingress.kubernetes.io/mutual-authentication",
    "alb.ingress.kubernetes.io/transforms.*",
    "haproxy-ingress.github.io/allowlist-source-range",
    "haproxy-ingress.github.io/config-*",
    "haproxy-ingress.github.io/denylist-source-range",
    "haproxy-ingress.github.io/headers",
    "haproxy-ingress.github.io/http-header-match*",
    "haproxy-ingress.github.io/http-response-*",
    "haproxy-ingress.github.io/whitelist-source-range",
    "haproxy.com/path-rewrite",
    "haproxy.com/request-capture",
    "haproxy.com/request-set-header",
    "haproxy.com/response-set-header",
    "haproxy.org/path-rewrite",
    "haproxy.org/request-capture",
    "haproxy.org/request-set-header",
    "haproxy.org/response-set-header",
    "higress.io/destination",
    "higress.io/request-header-control-*",
    "higress.io/response-header-control-*",
    "ingress.kubernetes.io/buffering",
    "ingress.kubernetes.io/config-*",
    "ingress.kubernetes.io/error-pages",
    "ingress.kubernetes.io/headers",
    "ingress.kubernetes.io/rate-limit",
    "ingress.kubernetes.io/service-weights",
    "nginx.ingress.kubernetes.io/allowlist-source-range",
    "nginx.ingress.kubernetes.io/denylist-source-range",
    "nginx.ingress.kubernetes.io/whitelist-source-range",
    "traefik.ingress.kubernetes.io/buffering",
    "traefik.ingress.kubernetes.io/error-pages",
    "traefik.ingress.kubernetes.io/rate-limit",
    "traefik.ingress.kubernetes.io/service-weights",
    "zalando.org/backend-weights",
    "zalando.org/skipper-*",
];

/// Keys whose controllers split the value at commas and trim each entry, so that a line break beside a comma is not
/// part of an entry. In alphabetical order.
const LISTS: &[&str] = &[
    "haproxy.org/allow-list",
    "haproxy.org/blacklist",
    "haproxy.org/cors-allow-headers",
    "haproxy.org/cors-allow-methods",
    "haproxy.org/deny-list",
    "haproxy.org/rate-limit-whitelist",
    "haproxy.org/whitelist",
    "nginx.ingress.kubernetes.io/auth-response-headers",
    "nginx.ingress.kubernetes.io/cors-allow-origin",
    "nginx.ingress.kubernetes.io/global-rate-limit-ignored-cidrs",
    "nginx.ingress.kubernetes.io/limit-allowlist",
    "nginx.ingress.kubernetes.io/limit-whitelist",
    "nginx.ingress.kubernetes.io/server-alias",
    "traefik.ingress.kubernetes.io/router.entrypoints",
    "traefik.ingress.kubernetes.io/router.middlewares",
];

/// Keys whose values are inserted into a proxy's configuration only as numbers, or as words of letters and white space,
/// so that a line break affects only the value itself. In alphabetical order.
const HARMLESS: &[&str] = &[
    "nginx.ingress.kubernetes.io/cors-allow-headers",
    "nginx.ingress.kubernetes.io/cors-allow-methods",
    "nginx.ingress.kubernetes.io/cors-expose-headers",
    "nginx.ingress.kubernetes.io/custom-http-errors",
];

/// Whether a controller that routes traffic reads the annotation `key`.
pub fn is_routing(key: &str) -> bool {
    ROUTING_PREFIXES.iter().any(|prefix| key.starts_with(prefix))
}

/// Whether a line break in the annotation `key` would be inserted into the text of a proxy's configuration.
pub fn is_configuration(key: &str) -> bool {
    TEXT_PREFIXES.iter().any(|prefix| key.starts_with(prefix)) && !HARMLESS.contains(&key)
}

/// The parts of the value of the annotation `key` that must not contain a line break: each entry of a list, or the
/// whole value.
pub fn entries<'v>(key: &str, value: &'v str) -> impl Iterator<Item = &'v str> {
    let separator = match key {
        // F5 NGINX splits the value at semicolons and trims each rule.
        "nginx.org/rewrites" => Some(';'),
        key => LISTS.contains(&key).then_some(','),
    };
    // A single line feed at the end, as in a YAML block scalar (`|`, `>`), is ignored: no text of the author follows
    // it.
    let whole = separator.is_none().then(|| value.strip_suffix('\n').unwrap_or(value));
    let listed = separator.map(|separator| value.split(separator).map(str::trim));
    listed.into_iter().flatten().chain(whole)
}

/// Whether the annotation `key` contains a snippet in a proxy's own configuration language.
pub fn is_snippet(key: &str) -> bool {
    key.ends_with("-snippet") || key.ends_with("-snippets")
}

/// Whether values of the annotation `key` may have line breaks.
pub fn is_multi_line(key: &str) -> bool {
    is_snippet(key) || MULTI_LINE.iter().any(|pattern| glob(pattern, key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_are_sorted_and_every_key_of_several_lines_is_one_of_routing() {
        assert!(ROUTING_PREFIXES.is_sorted() && MULTI_LINE.is_sorted());
        assert!(ROUTING_PREFIXES.iter().all(|prefix| prefix.ends_with('/')));
        assert!(MULTI_LINE.iter().all(|key| is_routing(key)));
        assert!(TEXT_PREFIXES.is_sorted() && TEXT_PREFIXES.iter().all(|prefix| ROUTING_PREFIXES.contains(prefix)));
    }

    #[test]
    fn the_lists_are_sorted_and_of_controllers_that_write_text_or_read_lists() {
        assert!(LISTS.is_sorted() && LISTS.iter().all(|key| is_routing(key) && !is_multi_line(key)));
        assert!(HARMLESS.is_sorted() && HARMLESS.iter().all(|key| is_routing(key) && !is_configuration(key)));
    }

    #[test]
    fn a_snippet_is_known_by_the_end_of_its_key() {
        assert!(is_snippet("nginx.ingress.kubernetes.io/server-snippet") && is_snippet("nginx.org/location-snippets"));
        assert!(!is_snippet("nginx.ingress.kubernetes.io/snippet-directives"));
    }
}
