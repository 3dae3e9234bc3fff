//! `contour.heptio.com` TLSCertificateDelegation: allows roots in other namespaces to use a certificate.

use serde::Deserialize;

use super::{Metadata, Text, null_is_default, text_or_empty};
use crate::kinds::shape::maps_only;

/// A TLSCertificateDelegation under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct TlsCertificateDelegation<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: TlsCertificateDelegationSpec<'a>,
}

/// `spec` of a TLSCertificateDelegation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct TlsCertificateDelegationSpec<'a> {
    /// The certificates, each with the namespaces that may use it.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub delegations: Vec<CertificateDelegation<'a>>,
}

/// One of `spec.delegations`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct CertificateDelegation<'a> {
    /// The Secret, in the object's own namespace.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub secret_name: Text<'a>,
    /// The namespaces whose roots may use it. A single `*` represents all namespaces.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub target_namespaces: Vec<Text<'a>>,
}

impl CertificateDelegation<'_> {
    /// Whether every namespace may use it. `*` has this meaning only as the sole element.
    pub fn is_for_all(&self) -> bool {
        matches!(&*self.target_namespaces, [only] if &**only == "*")
    }
}

maps_only!(TlsCertificateDelegation, TlsCertificateDelegationSpec, CertificateDelegation);
