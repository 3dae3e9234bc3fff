//! Whether the certificate authorities of a policy are usable.

use crate::field::At;
use crate::kinds::BackendTlsPolicy;
use crate::kinds::reference::TargetRef;
use crate::kinds::walk::backend_tls_policy as walk;
use crate::routing::authority::{self, Authority};
use crate::status::{Condition, ConditionStatus, StatusContext};

/// The type of the condition.
const RESOLVED_REFS: &str = "ResolvedRefs";

/// The certificate authorities of a policy.
#[derive(Debug)]
pub struct Authorities {
    references: Vec<(At, Authority)>,
    /// The set of authorities of the system or of an implementation.
    well_known: Option<String>,
}

impl Authorities {
    /// The authorities of `policy`.
    pub fn of(policy: &BackendTlsPolicy<'_>, context: &StatusContext<'_>) -> Self {
        let references = walk::authorities(policy).map(|(at, reference)| (at, of_reference(reference, context)));
        let well_known = policy.spec.validation.well_known().map(str::to_owned);
        Self { references: references.collect(), well_known }
    }

    /// Why the set of authorities is not supported. Only a data plane knows sets other than that of the system.
    pub fn unsupported_set(&self) -> Option<String> {
        let set = self.well_known.as_deref().filter(|set| *set != "System")?;
        Some(format!("spec.validation.wellKnownCACertificates: `{set}` is not supported: use System"))
    }

    /// Whether there is at least one usable authority; `None` if that is not known.
    pub fn is_any_valid(&self) -> Option<bool> {
        let has = |applies: fn(&Authority) -> bool| self.references.iter().any(|(_, own)| applies(own));
        match has(|own| matches!(own, Authority::Valid)) || self.well_known.is_some() {
            true => Some(true),
            false if has(|own| matches!(own, Authority::Unknown(_))) => None,
            false => Some(false),
        }
    }

    /// The condition `ResolvedRefs`. The first reference that does not resolve decides the reason.
    pub fn resolved_refs(&self) -> Condition {
        let (mut reasons, mut invalid, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
        for (at, authority) in &self.references {
            match authority {
                Authority::Valid => {}
                Authority::Invalid(own, message) => {
                    reasons.push(*own);
                    invalid.push(format!("{}: {message}", at.then("name")));
                }
                Authority::Unknown(message) => unknown.push(format!("{}: {message}", at.then("name"))),
            }
        }
        match reasons.first().copied() {
            Some(first) => Condition::new(RESOLVED_REFS, false, first, invalid.join("; ")).or_because(reasons),
            None if !unknown.is_empty() => {
                Condition::new(RESOLVED_REFS, ConditionStatus::Unknown, "Pending", unknown.join("; "))
            }
            None => Condition::new(RESOLVED_REFS, true, RESOLVED_REFS, "every reference resolves"),
        }
    }
}

/// Whether the object has a usable certificate. It is in the namespace of the policy.
fn of_reference(reference: &TargetRef<'_>, context: &StatusContext<'_>) -> Authority {
    let (namespace, name) = (&*context.cluster.this().namespace, &*reference.name);
    match (reference.group(), reference.kind_or("")) {
        ("", "ConfigMap" | "Secret") if name.is_empty() => authority::invalid("the name is required".to_owned()),
        ("", "ConfigMap") => authority::in_config_map((namespace, name), &context.cluster),
        ("", "Secret") => authority::in_secret((namespace, name), &context.cluster),
        (group, kind) => {
            let separator = if group.is_empty() { "" } else { "/" };
            let message = format!("kind {group}{separator}{kind} is not supported: use a ConfigMap");
            match context.is_specification() {
                true => Authority::Unknown(message),
                false => Authority::Invalid("InvalidKind", message),
            }
        }
    }
}
