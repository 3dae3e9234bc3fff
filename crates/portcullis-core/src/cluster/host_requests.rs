//! The HostRequests of the cluster.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::kinds::{HostRequest, Kind, ObjectRef};
use crate::matching::Host;
use crate::matching::claim_name::host_of;

/// The facts of a HostRequest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostRequestFacts {
    /// The reference to the request. Its name is that of the HostClaim that it asks for.
    pub object_ref: ObjectRef,
    /// The host.
    pub host: Host<'static>,
    /// Why the namespace needs it.
    pub reason: Box<str>,
    /// The creation time.
    pub created: Option<Timestamp>,
}

impl HostRequestFacts {
    /// Returns the facts of `request`.
    pub fn of(request: &HostRequest<'_>) -> Self {
        let metadata = &request.metadata;
        Self {
            object_ref: ObjectRef::new(Kind::HostRequest, metadata.namespace(), metadata.name()),
            host: Host::parse(&request.spec.host).into_owned(),
            reason: (*request.spec.reason).into(),
            created: metadata.created(),
        }
    }

    /// Whether the name is that of the host, as the schema demands. Another request gets no HostClaim.
    pub fn is_consistent(&self) -> bool {
        host_of(&self.object_ref.name) == self.host
    }
}

/// The requests by reference.
#[derive(Debug, Default)]
pub(super) struct HostRequests(BTreeMap<ObjectRef, HostRequestFacts>);

impl HostRequests {
    pub(super) fn put(&mut self, facts: HostRequestFacts) {
        self.0.insert(facts.object_ref.clone(), facts);
    }

    pub(super) fn remove(&mut self, object_ref: &ObjectRef) {
        self.0.remove(object_ref);
    }

    pub(super) fn get(&self, object_ref: &ObjectRef) -> Option<&HostRequestFacts> {
        self.0.get(object_ref)
    }

    pub(super) fn count(&self) -> usize {
        self.0.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &HostRequestFacts> {
        self.0.values()
    }
}
