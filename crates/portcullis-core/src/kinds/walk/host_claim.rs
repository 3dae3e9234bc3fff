//! The elements of a HostClaim.

use crate::field::At;
use crate::kinds::HostClaim;

/// The host.
pub fn host<'c>(claim: &'c HostClaim<'_>) -> (At, &'c str) {
    (At::field("spec.host"), &claim.spec.host)
}

/// The namespace that owns the host, and the further ones that may serve it.
pub fn namespaces<'c>(claim: &'c HostClaim<'_>) -> impl Iterator<Item = (At, &'c str)> {
    let others = claim.spec.also_served_by.iter().enumerate();
    let others = others.map(|(index, namespace)| (At::element("spec.alsoServedBy[]", [index]), &**namespace));
    std::iter::once((At::field("spec.namespace"), &*claim.spec.namespace)).chain(others)
}
