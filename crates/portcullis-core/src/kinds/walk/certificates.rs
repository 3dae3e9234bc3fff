//! The elements of a TLSCertificateDelegation.

use crate::field::At;
use crate::kinds::TlsCertificateDelegation;
use crate::kinds::tls_certificate_delegation::CertificateDelegation;

/// Each delegated Secret.
pub fn delegated<'o, 'a>(
    delegation: &'o TlsCertificateDelegation<'a>,
) -> impl Iterator<Item = (At, &'o CertificateDelegation<'a>)> + use<'o, 'a> {
    let delegated = delegation.spec.delegations.iter().enumerate();
    delegated.map(|(index, delegated)| (At::element("spec.delegations[]", [index]), delegated))
}

/// Each namespace to which a Secret is delegated, as written.
pub fn targets<'o>(delegation: &'o TlsCertificateDelegation<'_>) -> impl Iterator<Item = (At, &'o str)> {
    delegation.spec.delegations.iter().enumerate().flat_map(|(index, delegated)| {
        delegated.target_namespaces.iter().enumerate().map(move |(target, namespace)| {
            (At::element("spec.delegations[].targetNamespaces[]", [index, target]), &**namespace)
        })
    })
}
