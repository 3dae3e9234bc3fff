//! Whether the certificate authorities of a policy are usable.

use crate::cluster::Lookup;
use crate::cluster::secret_facts::SecretEntry;
use crate::field::At;
use crate::kinds::BackendTlsPolicy;
use crate::kinds::reference::TargetRef;
use crate::kinds::walk::backend_tls_policy as walk;
use crate::status::{Condition, ConditionStatus, StatusContext};

/// The type of the condition.
const RESOLVED_REFS: &str = "ResolvedRefs";
/// The reference is to an object that does not exist or has no usable certificate.
const INVALID_REF: &str = "InvalidCACertificateRef";

/// The result for one reference.
#[derive(Debug)]
enum Authority {
    /// It has a usable certificate.
    Valid,
    /// The reason and a message why it has none.
    Invalid(&'static str, String),
    /// A message that says what is not known.
    Unknown(String),
}

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
        let references = walk::authorities(policy).map(|(at, reference)| (at, authority(reference, context)));
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
        let (mut reason, mut invalid, mut unknown) = (None, Vec::new(), Vec::new());
        for (at, authority) in &self.references {
            match authority {
                Authority::Valid => {}
                Authority::Invalid(own, message) => {
                    reason = reason.or(Some(*own));
                    invalid.push(format!("{}: {message}", at.then("name")));
                }
                Authority::Unknown(message) => unknown.push(format!("{}: {message}", at.then("name"))),
            }
        }
        match reason {
            Some(reason) => Condition::new(RESOLVED_REFS, false, reason, invalid.join("; ")),
            None if !unknown.is_empty() => {
                Condition::new(RESOLVED_REFS, ConditionStatus::Unknown, "Pending", unknown.join("; "))
            }
            None => Condition::new(RESOLVED_REFS, true, RESOLVED_REFS, "every reference resolves"),
        }
    }
}

/// Whether the object has a usable certificate. It is in the namespace of the policy.
fn authority(reference: &TargetRef<'_>, context: &StatusContext<'_>) -> Authority {
    let (namespace, name) = (&context.cluster.this().namespace, &*reference.name);
    match (reference.group(), reference.kind_or("")) {
        ("", "ConfigMap" | "Secret") if name.is_empty() => {
            Authority::Invalid(INVALID_REF, "the name is required".to_owned())
        }
        ("", "ConfigMap") => {
            let message = format!("ConfigMaps are not read, so it is not known whether `{name}` has a usable ca.crt");
            Authority::Unknown(message)
        }
        ("", "Secret") => match context.cluster.secret(namespace, name) {
            Lookup::Found(secret) => match secret.authority {
                SecretEntry::Read(()) => Authority::Valid,
                SecretEntry::Missing => {
                    Authority::Invalid(INVALID_REF, format!("Secret {namespace}/{name} has no ca.crt"))
                }
                SecretEntry::Unreadable => {
                    let message = format!("ca.crt of Secret {namespace}/{name} is not a valid certificate");
                    Authority::Invalid(INVALID_REF, message)
                }
            },
            Lookup::Absent => Authority::Invalid(INVALID_REF, format!("Secret {namespace}/{name} not found")),
            Lookup::Unknown => {
                let message = format!("Secrets are not read, so it is not known whether `{name}` has a usable ca.crt");
                Authority::Unknown(message)
            }
        },
        (group, kind) => {
            let separator = if group.is_empty() { "" } else { "/" };
            let message = format!("kind {group}{separator}{kind} is not supported: use a ConfigMap");
            Authority::Invalid("InvalidKind", message)
        }
    }
}
