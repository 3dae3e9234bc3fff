//! The elements of a BackendTLSPolicy.

use crate::field::At;
use crate::kinds::backend_tls_policy::{BackendTlsPolicy, SubjectAltName};
use crate::kinds::reference::TargetRef;

/// Each reference to a target of the policy.
pub fn targets<'p, 'a>(policy: &'p BackendTlsPolicy<'a>) -> impl Iterator<Item = (At, &'p TargetRef<'a>)> + Clone {
    let targets = policy.spec.target_refs.iter().enumerate();
    targets.map(|(index, target)| (At::element("spec.targetRefs[]", [index]), target))
}

/// Each reference to a trusted certificate authority.
pub fn authorities<'p, 'a>(policy: &'p BackendTlsPolicy<'a>) -> impl Iterator<Item = (At, &'p TargetRef<'a>)> {
    let references = policy.spec.validation.ca_certificate_refs.iter().enumerate();
    references.map(|(index, reference)| (At::element("spec.validation.caCertificateRefs[]", [index]), reference))
}

/// Each reference: first to targets, then to authorities.
pub fn references<'p, 'a>(policy: &'p BackendTlsPolicy<'a>) -> impl Iterator<Item = (At, &'p TargetRef<'a>)> {
    targets(policy).chain(authorities(policy))
}

/// Each name of which at least one must be on the certificate.
pub fn subject_alt_names<'p, 'a>(
    policy: &'p BackendTlsPolicy<'a>,
) -> impl Iterator<Item = (At, &'p SubjectAltName<'a>)> {
    let names = policy.spec.validation.subject_alt_names.iter().enumerate();
    names.map(|(index, name)| (At::element("spec.validation.subjectAltNames[]", [index]), name))
}
