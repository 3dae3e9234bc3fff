//! What the status of an object is computed from, besides the object.

use super::AttachedRoutes;
use crate::bundle::Bundle;
use crate::cluster::{Cluster, Overlay, Ownership, ReadKey, Reads};
use crate::config::{Config, StatusConfig, TlsModes};
use crate::kinds::ObjectRef;
use crate::routing::delegation::{GraphState, GraphStatus};

/// Whose status is computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Perspective {
    /// What Portcullis writes: the classes of the configuration, with what Portcullis itself supports.
    #[default]
    Own,
    /// What the specification says, for every class. What only a controller knows about itself is unknown: whether it accepts a class
    /// and parameters, its addresses, and which kinds and protocols it supports beyond those of the specification.
    Specification,
}

/// The knowledge from which a status is computed.
#[derive(Debug, Clone, Copy)]
pub struct StatusContext<'c> {
    /// The rest of the cluster.
    pub cluster: Overlay<'c>,
    /// The configuration.
    pub config: &'c Config,
    /// Who owns which hosts.
    pub ownership: &'c Ownership,
    perspective: Perspective,
    attached: &'c AttachedRoutes,
    delegations: &'c GraphState,
    reads: &'c Reads,
}

impl<'c> StatusContext<'c> {
    /// Returns the context for the object at `this`. What the computation depends on is recorded in `reads`.
    pub fn new(
        (cluster, this): (&'c Cluster, &'c ObjectRef),
        (config, ownership): (&'c Config, &'c Ownership),
        perspective: Perspective,
        attached: &'c AttachedRoutes,
        delegations: &'c GraphState,
        reads: &'c Reads,
    ) -> Self {
        let bundle = config.gateway_bundle.map_or(Bundle::NEWEST, Bundle::from);
        let cluster = Overlay::new(cluster, this).assuming(bundle).recording(reads);
        Self { cluster, config, ownership, perspective, attached, delegations, reads }
    }

    /// Whether the object is cut.
    pub fn is_cut(&self) -> bool {
        let this = self.cluster.this();
        self.reads.record(ReadKey::Object(this.clone()));
        self.cluster.is_cut(this)
    }

    /// Whether the status is that of any implementation, which may support more than Portcullis.
    pub fn is_specification(&self) -> bool {
        self.perspective == Perspective::Specification
    }

    /// The settings of the status writer.
    pub fn settings(&self) -> &'c StatusConfig {
        &self.config.status
    }

    /// The TLS modes that the controller of the status supports; `None` if it is another one.
    pub fn tls_modes(&self) -> Option<TlsModes> {
        (!self.is_specification()).then(|| self.settings().tls_modes())
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
