//! Core Namespace: its name and labels, which selectors ask for.

use serde::Deserialize;

use super::{Metadata, null_is_default};

/// A Namespace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, expecting = "a map")]
pub struct Namespace<'a> {
    /// Name and labels.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
}
