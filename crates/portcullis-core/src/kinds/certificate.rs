//! `cert-manager.io/v1` Certificate: names for which cert-manager keeps a certificate in a Secret.

use serde::Deserialize;

use super::{Metadata, Text, null_is_default, shape::maps_only, text_or_empty, text_or_none};

maps_only!(Certificate, CertificateSpec, CertificateStatus, CertificateCondition);

/// A Certificate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct Certificate<'a> {
    /// Name and namespace.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The certificate that is asked for.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: CertificateSpec<'a>,
    /// The state of the certificate in the Secret.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub status: CertificateStatus<'a>,
}

/// `spec` of a Certificate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self", expecting = "a map")]
pub struct CertificateSpec<'a> {
    /// The Secret in the same namespace.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub secret_name: Text<'a>,
    /// The names, each of which may be a wildcard.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub dns_names: Vec<Text<'a>>,
    /// A further name.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub common_name: Option<Text<'a>>,
    /// The whole subject, which may contain a further name.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub literal_subject: Option<Text<'a>>,
}

/// `status` of a Certificate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self", expecting = "a map")]
pub struct CertificateStatus<'a> {
    /// The conditions.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub conditions: Vec<CertificateCondition<'a>>,
    /// When the certificate in the Secret ends, in RFC 3339 format.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub not_after: Option<Text<'a>>,
    /// When cert-manager will replace it, in RFC 3339 format.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub renewal_time: Option<Text<'a>>,
}

/// A condition of a Certificate.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self", expecting = "a map")]
pub struct CertificateCondition<'a> {
    /// `Ready` or `Issuing`.
    #[serde(borrow, rename = "type", deserialize_with = "text_or_empty")]
    pub kind: Text<'a>,
    /// `True`, `False` or `Unknown`.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub status: Text<'a>,
    /// The reason in CamelCase.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub reason: Text<'a>,
}
