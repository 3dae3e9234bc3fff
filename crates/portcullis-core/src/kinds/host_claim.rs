//! `portcullis.dev/v1alpha1` HostClaim: one namespace owns one host. Its name is the host, so that the API server stores one at most.

use serde::Deserialize;

use super::{Metadata, Text, null_is_default, shape::maps_only, text_or_empty};

maps_only!(HostClaim, HostClaimSpec);

/// A HostClaim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct HostClaim<'a> {
    /// Name, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// Whose host it is.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: HostClaimSpec<'a>,
}

/// `spec` of a HostClaim.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self", expecting = "a map")]
pub struct HostClaimSpec<'a> {
    /// The host, or a wildcard such as `*.example.com`.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub host: Text<'a>,
    /// The namespace that owns it.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub namespace: Text<'a>,
    /// Further namespaces that may serve paths of it.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub also_served_by: Vec<Text<'a>>,
}
