//! The marks of objects that repeat the host and path of another object on purpose.

use super::annotation_effect::{Effect, with_effect};
use crate::kinds::http_route::{HttpRule, PathMatch};
use crate::kinds::{Entries, Ingress, Route, walk};

/// The mark of an Ingress that allows it to repeat the host and path of another Ingress.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Mark {
    /// It has none.
    #[default]
    None,
    /// It takes a share of the other's traffic, if its controller reads the annotation.
    Canary,
    /// It temporarily answers an ACME challenge, and nothing else.
    AcmeSolver,
}

/// The label by which cert-manager marks what it creates to answer a challenge: key and value.
pub const ACME_SOLVER: (&str, &str) = ("acme.cert-manager.io/http01-solver", "true");

/// The path prefix under which an ACME server requests the answer to a challenge (RFC 8555, 8.3). The token follows it.
const ACME_CHALLENGE: &str = "/.well-known/acme-challenge/";

impl Mark {
    /// Returns the mark of an Ingress.
    pub fn of_ingress(ingress: &Ingress<'_>) -> Self {
        match has_solver_label(&ingress.metadata.labels) && answers_challenges_only(ingress) {
            true => Self::AcmeSolver,
            false if with_effect(Effect::Canary, ingress).next().is_some() => Self::Canary,
            false => Self::None,
        }
    }
}

/// Whether the route temporarily answers an ACME challenge, and nothing else. Every match must name the path of a
/// challenge, since a tenant can set the label.
pub fn is_solver_route(route: &Route<'_, '_>) -> bool {
    let Route::Http(route) = route else { return false };
    let answers = |rule: &HttpRule<'_>| {
        let is_of_challenge = |path: &PathMatch<'_>| is_challenge(path.value());
        !rule.matches.is_empty()
            && rule.matches.iter().all(|matched| matched.path.as_ref().is_some_and(is_of_challenge))
    };
    let rules = route.spec.rules();
    has_solver_label(&route.metadata.labels) && !rules.is_empty() && rules.iter().all(answers)
}

fn has_solver_label(labels: &Entries<'_>) -> bool {
    let (key, value) = ACME_SOLVER;
    labels.get(key).is_some_and(|is| &**is == value)
}

/// Whether the Ingress serves only challenges. A tenant can set the label, so the label alone proves nothing.
fn answers_challenges_only(ingress: &Ingress<'_>) -> bool {
    let mut paths = walk::http_paths(ingress).map(|(_, path, _)| path.path.as_deref().unwrap_or_default()).peekable();
    ingress.spec.default_backend.is_none() && paths.peek().is_some() && paths.all(is_challenge)
}

/// Whether a prefix or a path is that of challenges, also without the last slash.
pub fn may_be_challenge(path: &str) -> bool {
    is_challenge(path) || ACME_CHALLENGE.strip_suffix('/') == Some(path)
}

/// Whether `path` is that of a challenge and contains nothing that a controller could interpret as a pattern.
fn is_challenge(path: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    path.strip_prefix(ACME_CHALLENGE).is_some_and(|token| token.bytes().all(is_token))
}
