//! What the status of an object is computed from, besides the object.

use super::AttachedRoutes;
use crate::bundle::Bundle;
use crate::cluster::{Cluster, Overlay, ReadKey, Reads};
use crate::config::{Config, StatusConfig};
use crate::kinds::ObjectRef;
use crate::routing::delegation::{GraphState, GraphStatus};

/// The knowledge from which a status is computed.
#[derive(Debug, Clone, Copy)]
pub struct StatusContext<'c> {
    /// The rest of the cluster.
    pub cluster: Overlay<'c>,
    /// The configuration.
    pub config: &'c Config,
    attached: &'c AttachedRoutes,
    delegations: &'c GraphState,
    reads: &'c Reads,
}

impl<'c> StatusContext<'c> {
    /// Returns the context for the object at `this`. What the computation depends on is recorded in `reads`.
    pub fn new(
        (cluster, this): (&'c Cluster, &'c ObjectRef),
        config: &'c Config,
        attached: &'c AttachedRoutes,
        delegations: &'c GraphState,
        reads: &'c Reads,
    ) -> Self {
        let bundle = config.gateway_bundle.map_or(Bundle::NEWEST, Bundle::from);
        let cluster = Overlay::new(cluster, this).assuming(bundle).recording(reads);
        Self { cluster, config, attached, delegations, reads }
    }

    /// Whether the object is cut.
    pub fn is_cut(&self) -> bool {
        let this = self.cluster.this();
        self.reads.record(ReadKey::Object(this.clone()));
        self.cluster.is_cut(this)
    }

    /// The settings of the status writer.
    pub fn settings(&self) -> &'c StatusConfig {
        &self.config.status
    }

    /// The number of routes that a listener of a Gateway or a ListenerSet accepts.
    pub fn attached_routes(&self, parent: &ObjectRef, listener: &str) -> usize {
        self.reads.record(ReadKey::AttachedTo(parent.clone()));
        self.attached.count(parent, listener)
    }

    /// The Gateways and ListenerSets of which a listener accepts the route at `object_ref`.
    pub fn parents_accepting(&self, object_ref: &ObjectRef) -> impl Iterator<Item = &'c ObjectRef> + use<'c> {
        self.reads.record(ReadKey::AttachmentsOf(object_ref.clone()));
        self.attached.parents(object_ref).map(|parent| &**parent)
    }

    /// The verdict on the IngressRoute at `object_ref`.
    pub fn verdict(&self, object_ref: &ObjectRef) -> Option<&'c GraphStatus> {
        self.reads.record(ReadKey::Verdict(object_ref.clone()));
        self.delegations.get(object_ref)
    }
}
