//! The IngressRoutes that have to be evaluated again after a change.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::kinds::ObjectRef;

/// The IngressRoutes whose own verdict may have changed: changed objects, targets of their delegations, and roots with
/// the same host. The evaluation adds the objects whose verdict depends on these in turn.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Dirty {
    /// All of them. This is the initial state, in which no references are collected as long as the set is never taken.
    #[default]
    Everything,
    /// The objects at these references, which need not exist.
    Objects(BTreeSet<Arc<ObjectRef>>),
}

impl Dirty {
    /// Adds an object.
    pub fn add(&mut self, object_ref: &Arc<ObjectRef>) {
        if let Self::Objects(objects) = self {
            objects.insert(object_ref.clone());
        }
    }

    /// Whether no IngressRoute is dirty.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Objects(objects) if objects.is_empty())
    }
}
