//! The marks by which objects say that they repeat another's host and path on purpose.

use crate::kinds::annotation_value::is_true;
use crate::kinds::{Ingress, walk};

/// What an Ingress says of itself that lets it repeat another's host and path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// It takes a share of the other's traffic.
    Canary,
    /// It answers an ACME challenge for a while, and nothing else.
    AcmeSolver,
}

/// Annotations by which controllers know a canary, where they are true.
const CANARY: &[&str] = &["nginx.ingress.kubernetes.io/canary"];

/// Labels by which ACME solvers are known: key and value.
const ACME_SOLVER: &[(&str, &str)] = &[("acme.cert-manager.io/http01-solver", "true")];

/// Where an ACME server asks for the answer to a challenge (RFC 8555, 8.3); the token follows.
const ACME_CHALLENGE: &str = "/.well-known/acme-challenge/";

impl Mark {
    /// The mark that an Ingress carries.
    pub fn of_ingress(ingress: &Ingress<'_>) -> Self {
        let (annotations, labels) = (&ingress.metadata.annotations, &ingress.metadata.labels);
        if CANARY.iter().any(|key| annotations.get(key).is_some_and(|value| is_true(value))) {
            return Self::Canary;
        }
        let is_solver = ACME_SOLVER.iter().any(|(key, value)| labels.get(key).is_some_and(|is| &**is == *value));
        match is_solver && answers_challenges_only(ingress) {
            true => Self::AcmeSolver,
            false => Self::None,
        }
    }
}

/// Whether the Ingress serves challenges and nothing else: a tenant writes the label itself, so the label alone proves nothing.
fn answers_challenges_only(ingress: &Ingress<'_>) -> bool {
    let mut paths = walk::http_paths(ingress).map(|(_, path, _)| path.path.as_deref().unwrap_or_default()).peekable();
    ingress.spec.default_backend.is_none() && paths.peek().is_some() && paths.all(is_challenge)
}

/// Whether `path` is that of a challenge and holds nothing that a controller could read as a pattern.
fn is_challenge(path: &str) -> bool {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    path.strip_prefix(ACME_CHALLENGE).is_some_and(|token| token.bytes().all(is_token))
}
