//! `portcullis.dev/v1alpha1` HostRequest: a namespace asks for a host. Its name is that of the HostClaim that it asks for.

use serde::Deserialize;

use super::{Metadata, Text, null_is_default, shape::maps_only, text_or_empty};

maps_only!(HostRequest, HostRequestSpec);

/// A HostRequest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct HostRequest<'a> {
    /// Name, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// What is asked for.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: HostRequestSpec<'a>,
}

/// `spec` of a HostRequest.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct HostRequestSpec<'a> {
    /// The host, or a wildcard such as `*.example.com`.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub host: Text<'a>,
    /// Why the namespace needs it.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub reason: Text<'a>,
}
