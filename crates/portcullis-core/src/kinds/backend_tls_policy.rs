//! `gateway.networking.k8s.io` BackendTLSPolicy: how a Gateway speaks TLS to a backend.

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
    /// What is asked for.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: BackendTlsPolicySpec<'a>,
}

/// `spec` of a BackendTLSPolicy.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct BackendTlsPolicySpec<'a> {
    /// The Services that it is about.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub target_refs: Vec<TargetRef<'a>>,
    /// How the backend's certificate is judged.
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
    /// The authorities that are trusted; either this or `wellKnownCACertificates`.
    #[serde(borrow, rename = "caCertificateRefs", deserialize_with = "null_is_default")]
    pub ca_certificate_refs: Vec<TargetRef<'a>>,
    /// A set of authorities by name, such as `System`.
    #[serde(borrow, rename = "wellKnownCACertificates", deserialize_with = "text_or_none")]
    pub well_known_ca_certificates: Option<Text<'a>>,
    /// The name that is asked for and, without alternatives, must be on the certificate.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub hostname: Text<'a>,
    /// The names of which one must be on the certificate.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub subject_alt_names: Vec<SubjectAltName<'a>>,
}

impl BackendValidation<'_> {
    /// The set of authorities that is trusted by name; an empty name is none.
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
    /// The host, with `Hostname`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub hostname: Option<Text<'a>>,
    /// The URI, with `URI`.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub uri: Option<Text<'a>>,
}

maps_only!(BackendTlsPolicy, BackendTlsPolicySpec, BackendValidation, SubjectAltName);
