//! `metadata` of any object.

use jiff::Timestamp;
use serde::Deserialize;

use super::{Entries, Generation, Text, text_or_none};
use crate::kinds::shape::maps_only;

/// The part of `metadata` that Portcullis uses.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self", expecting = "a map")]
pub struct Metadata<'a> {
    /// The object's name.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub name: Option<Text<'a>>,
    /// The prefix from which the API server generates a name.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub generate_name: Option<Text<'a>>,
    /// The object's namespace.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub namespace: Option<Text<'a>>,
    /// The creation time in RFC 3339 format; absent in a manifest.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub creation_timestamp: Option<Text<'a>>,
    /// How often its `spec` was changed, counted by the API server.
    pub generation: Generation,
    /// The object's labels.
    #[serde(borrow)]
    pub labels: Entries<'a>,
    /// The object's annotations.
    #[serde(borrow)]
    pub annotations: Entries<'a>,
}

maps_only!(Metadata);

impl Metadata<'_> {
    /// The object's name; empty if it has none yet.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// The object's namespace; empty if it has none.
    pub fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or_default()
    }

    /// The creation time; `None` if it is absent or invalid.
    pub fn created(&self) -> Option<Timestamp> {
        self.creation_timestamp.as_deref().and_then(|time| time.parse().ok())
    }
}
