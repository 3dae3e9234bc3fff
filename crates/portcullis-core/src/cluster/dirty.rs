//! What a change may have given another verdict.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::kinds::ObjectRef;

/// The IngressRoutes whose verdict may be another: those that changed, and those that they touch. Whose verdict depends on them in turn is
/// for whoever judges.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Dirty {
    /// All of them, as at the beginning: who never asks pays nothing.
    #[default]
    Everything,
    /// Those at these places, be they empty.
    Places(BTreeSet<Arc<ObjectRef>>),
}

impl Dirty {
    /// Adds a place.
    pub fn add(&mut self, object_ref: &Arc<ObjectRef>) {
        if let Self::Places(places) = self {
            places.insert(object_ref.clone());
        }
    }

    /// Whether nothing is.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Places(places) if places.is_empty())
    }
}
