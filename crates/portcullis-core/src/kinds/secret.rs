//! Core Secret, with the parts that are needed to check a certificate in a manifest. It is not a [`Kind`](super::Kind):
//! nothing can list or watch Secrets, or need the permission to do so. Only the status writer reads some of them, by their names.

use serde::Deserialize;

use super::{Entries, Metadata, Text, null_is_default, shape::maps_only, text_or_none};

/// A Secret.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", rename_all = "camelCase", expecting = "a map")]
pub struct Secret<'a> {
    /// Name and namespace.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// `kubernetes.io/tls`, `Opaque`, ...
    #[serde(borrow, rename = "type", deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// The content, in base64.
    #[serde(borrow)]
    pub data: Entries<'a>,
    /// The content, as text. It takes precedence over `data`.
    #[serde(borrow)]
    pub string_data: Entries<'a>,
}

maps_only!(Secret);
