//! Annotations of routing controllers: by which prefix they are known, and which of them hold several lines by nature.

use crate::names::glob;

/// The prefixes under which controllers of Ingresses read their annotations, in alphabetical order.
const ROUTING_PREFIXES: &[&str] = &[
    "alb.ingress.kubernetes.io/",
    "appgw.ingress.kubernetes.io/",
    "haproxy-ingress.github.io/",
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

/// Keys whose controllers document values of several lines: JSON, one header a line, a chain of filters, sections of configuration. A
/// trailing `*` stands for anything.
const MULTI_LINE: &[&str] = &[
    "alb.ingress.kubernetes.io/actions.*",
    "alb.ingress.kubernetes.io/auth-idp-*",
    "alb.ingress.kubernetes.io/conditions.*",
    "alb.ingress.kubernetes.io/listen-ports",
    "alb.ingress.kubernetes.io/transforms.*",
    "haproxy-ingress.github.io/config-*",
    "haproxy-ingress.github.io/headers",
    "haproxy-ingress.github.io/http-response-*",
    "haproxy.org/request-set-header",
    "haproxy.org/response-set-header",
    "ingress.kubernetes.io/config-*",
    "ingress.kubernetes.io/headers",
    "zalando.org/skipper-*",
];

/// Whether a controller that routes traffic reads the annotation `key`.
pub fn is_routing(key: &str) -> bool {
    ROUTING_PREFIXES.iter().any(|prefix| key.starts_with(prefix))
}

/// Whether the annotation `key` holds a piece of a proxy's own configuration language.
pub fn is_snippet(key: &str) -> bool {
    key.ends_with("-snippet") || key.ends_with("-snippets")
}

/// Whether a line break belongs into values of the annotation `key`.
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
    }

    #[test]
    fn a_snippet_is_known_by_the_end_of_its_key() {
        assert!(is_snippet("nginx.ingress.kubernetes.io/server-snippet") && is_snippet("nginx.org/location-snippets"));
        assert!(!is_snippet("nginx.ingress.kubernetes.io/snippet-directives"));
    }
}
