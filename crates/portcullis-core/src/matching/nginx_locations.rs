//! What the annotations of an Ingress may do to the locations of ingress-nginx, as far as a check of another Ingress must know it.

use super::annotation_effect::{Effect, with_effect};
use super::controller::Controller;
use crate::kinds::Ingress;

/// The annotations with directives of nginx. ingress-nginx ignores an Ingress that has one, unless it allows them.
pub const SNIPPETS: [&str; 5] =
    ["auth-snippet", "configuration-snippet", "modsecurity-snippet", "server-snippet", "stream-snippet"];

/// The annotations whose values ingress-nginx validates strictly. It ignores an Ingress with another value.
const STRICT: [&str; 4] = ["auth-type", "auth-url", "permanent-redirect", "permanent-redirect-code"];

/// What ingress-nginx may make of an Ingress because of its annotations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NginxLocations {
    /// Whether all paths of its hosts may be expressions, also those of other Ingresses.
    pub may_be_expressions: bool,
    /// Whether the controller may ignore it, or one of its paths.
    pub may_be_ignored: bool,
}

impl NginxLocations {
    /// What it may make of `ingress`.
    pub fn of(ingress: &Ingress<'_>) -> Self {
        let annotations = &ingress.metadata.annotations;
        let is_rejecting = |key: &str| {
            key.strip_prefix("nginx.ingress.kubernetes.io/")
                .is_some_and(|name| SNIPPETS.contains(&name) || STRICT.contains(&name))
        };
        let has_resource = || {
            let mut paths = ingress.spec.rules.iter().flat_map(|rule| rule.paths());
            paths.any(|path| path.backend.service.is_none())
        };
        let mut expressions = with_effect(Effect::PathRegex, ingress);
        Self {
            may_be_expressions: expressions.any(|(row, ..)| row.readers.contains(&Controller::IngressNginx)),
            may_be_ignored: annotations.iter().any(|(key, _)| is_rejecting(key)) || has_resource(),
        }
    }
}
