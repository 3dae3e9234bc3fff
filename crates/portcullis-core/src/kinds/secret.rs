//! Core Secret, as far as a certificate in a manifest needs it. It is no [`Kind`](super::Kind): none is ever asked of an API server, so
//! nothing can watch it, list it, or need the right to.

use serde::Deserialize;

use super::{Entries, Metadata, Text, null_is_default, shape::maps_only, text_or_none};

/// A Secret as a file holds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", rename_all = "camelCase", expecting = "a map")]
pub struct Secret<'a> {
    /// Name and namespace.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// `kubernetes.io/tls`, `Opaque`, ...
    #[serde(borrow, rename = "type", deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// What it holds, in base64.
    #[serde(borrow)]
    pub data: Entries<'a>,
    /// What it holds, as text; before `data`.
    #[serde(borrow)]
    pub string_data: Entries<'a>,
}

maps_only!(Secret);
