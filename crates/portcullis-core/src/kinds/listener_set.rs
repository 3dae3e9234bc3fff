//! `gateway.networking.k8s.io` ListenerSet: listeners that are added to a Gateway, possibly from another namespace
//! (GEP-1713).

use serde::Deserialize;

use super::listener::{Listener, Listeners};
use super::reference::ParentRef;
use super::{Kind, Metadata, null_is_default};
use crate::kinds::shape::maps_only;

/// A ListenerSet under review.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", default, expecting = "a map")]
pub struct ListenerSet<'a> {
    /// Name, namespace, labels, annotations.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub metadata: Metadata<'a>,
    /// The desired state.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub spec: ListenerSetSpec<'a>,
}

impl<'a> ListenerSet<'a> {
    /// The listeners, in the common form with Gateways.
    pub fn listeners(&self) -> Listeners<'_, 'a> {
        Listeners { kind: Kind::ListenerSet, metadata: &self.metadata, all: &self.spec.listeners }
    }
}

/// `spec` of a ListenerSet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct ListenerSetSpec<'a> {
    /// The Gateway to which the listeners are added.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub parent_ref: ParentRef<'a>,
    /// The listeners.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub listeners: Vec<Listener<'a>>,
}

maps_only!(ListenerSet, ListenerSetSpec);
