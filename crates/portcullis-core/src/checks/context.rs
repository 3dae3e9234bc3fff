//! What a check can use besides the object.

use jiff::Timestamp;

use super::Part;
use crate::bundle::Bundle;
use crate::cluster::{DataPlanes, Overlay, Ownership, Subject};
use crate::config::{Config, Options};
use crate::kinds::{Object, ObjectRef};
use crate::matching::expressions::Expressions;
use crate::operation::Operation;
use crate::routing::delegation::NeighborVerdicts;
use crate::routing::host_holders::SharedHolders;

/// Everything a check can use besides the object.
#[derive(Debug)]
pub struct Context<'r> {
    /// The operation on the object.
    pub operation: Operation,
    /// The reference to the object under review.
    pub this: &'r ObjectRef,
    /// When the object was created. Only set for stored objects: of two stored objects in conflict, the younger is at
    /// fault.
    pub created: Option<Timestamp>,
    /// The user, the namespace and the class of the write.
    pub subject: Subject<'r>,
    /// The rest of the cluster, as if the write had already happened.
    pub cluster: &'r Overlay<'r>,
    /// The options of this check.
    pub options: &'r Options,
    /// Which namespaces may claim which host (`hostOwnership`).
    pub ownership: &'r Ownership,
    /// Which classes are served by the same data plane.
    pub data_planes: &'r DataPlanes,
    /// The configuration.
    pub config: &'r Config,
    /// The time of the review.
    pub now: Timestamp,
    /// The part of the object's claims that is looked at in this turn.
    pub part: &'r Part,
    /// The statuses of the objects around an IngressRoute in the delegation graph, computed when the first check needs
    /// them.
    pub neighbors: &'r NeighborVerdicts,
    /// The objects by which namespaces hold the hosts that no entry of `hostOwnership` lists.
    pub holders: &'r SharedHolders,
    /// The compiled regular expressions of this review.
    pub expressions: &'r Expressions,
    /// The object before the update. Only set for the checks that run [`When::Update`](super::When::Update).
    pub old: Option<&'r Object<'r>>,
}

impl Context<'_> {
    /// The object's namespace.
    pub fn namespace(&self) -> &str {
        &self.this.namespace
    }

    /// The Gateway API bundle that the schema of the object's kind belongs to.
    pub fn bundle(&self) -> Bundle {
        self.cluster.schema(self.this.kind).bundle
    }
}
