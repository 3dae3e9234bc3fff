//! `gateway.networking.k8s.io` BackendTLSPolicy: how a Gateway connects to a backend with TLS.

use serde::Deserialize;

use super::reference::TargetRef;
use super::{Entries, Metadata, Text, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::maps_only;

/// A BackendTLSPolicy under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct BackendTlsPolicy<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: BackendTlsPolicySpec<'a>,
}

/// `spec` of a BackendTLSPolicy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct BackendTlsPolicySpec<'a> {
    /// The Services to which it applies.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub target_refs: Vec<TargetRef<'a>>,
    /// How the backend's certificate is validated.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub validation: BackendValidation<'a>,
    /// Options of the implementation.
    #[serde(borrow)]
    pub options: Entries<'a>,
}

/// `spec.validation` of a BackendTLSPolicy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct BackendValidation<'a> {
    /// The trusted certificate authorities; mutually exclusive with `wellKnownCACertificates`.
    #[serde(borrow, rename = "caCertificateRefs", deserialize_with = "null_is_default")]
    pub ca_certificate_refs: Vec<TargetRef<'a>>,
    /// The name of a set of authorities, such as `System`.
    #[serde(borrow, rename = "wellKnownCACertificates", deserialize_with = "text_or_none")]
    pub well_known_ca_certificates: Option<Text<'a>>,
    /// The SNI server name. It must be on the certificate unless `subjectAltNames` is set.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub hostname: Text<'a>,
    /// The names of which at least one must be on the certificate.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub subject_alt_names: Vec<SubjectAltName<'a>>,
}

impl BackendValidation<'_> {
    /// The name of the trusted set of authorities; `None` if it is empty.
    pub fn well_known(&self) -> Option<&str> {
        self.well_known_ca_certificates.as_deref().filter(|set| !set.is_empty())
    }
}

/// One of `spec.validation.subjectAltNames`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct SubjectAltName<'a> {
    /// `Hostname` or `URI`, as written.
    #[serde(borrow, rename = "type", deserialize_with = "text_or_empty")]
    pub kind: Text<'a>,
    /// The host, for type `Hostname`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub hostname: Option<Text<'a>>,
    /// The URI, for type `URI`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub uri: Option<Text<'a>>,
}

maps_only!(BackendTlsPolicy, BackendTlsPolicySpec, BackendValidation, SubjectAltName);
