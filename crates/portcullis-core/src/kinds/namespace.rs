//! Core Namespace: its name and labels, which selectors use.

use serde::Deserialize;

use super::{Metadata, null_is_default, shape::maps_only};

maps_only!(Namespace);

/// A Namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, remote = "Self", expecting = "a map")]
pub struct Namespace<'a> {
    /// Name and labels.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
}
