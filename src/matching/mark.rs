//! The marks by which objects say that they repeat another's host and path on purpose.

use crate::kinds::{Entries, Ingress};

/// What an Ingress says of itself that lets it repeat another's host and path.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// It takes a share of the other's traffic.
    Canary,
    /// It answers an ACME challenge for a while.
    AcmeSolver,
}

/// Annotations by which controllers know a canary: key and value.
const CANARY: &[(&str, &str)] = &[("nginx.ingress.kubernetes.io/canary", "true")];

/// Labels by which ACME solvers are known: key and value.
const ACME_SOLVER: &[(&str, &str)] = &[("acme.cert-manager.io/http01-solver", "true")];

impl Mark {
    /// The mark that an Ingress carries.
    pub fn of_ingress(ingress: &Ingress<'_>) -> Self {
        let carries = |entries: &Entries<'_>, marks: &[(&str, &str)]| {
            marks.iter().any(|(key, value)| entries.get(key).is_some_and(|is| &**is == *value))
        };
        if carries(&ingress.metadata.annotations, CANARY) {
            return Self::Canary;
        }
        if carries(&ingress.metadata.labels, ACME_SOLVER) { Self::AcmeSolver } else { Self::None }
    }
}
