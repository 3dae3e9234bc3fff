//! Which parts of the view have changed.

use super::{Changes, Cluster, Dirty, Event};
use crate::kinds::{Kind, ObjectRef};

impl Cluster {
    /// Starts to track which parts of the view change.
    pub fn track_changes(&mut self) {
        self.changes = Some(Changes { everything: true, ..Changes::default() });
    }

    /// Whether a tracked part of the view changed since [`take_changes`](Self::take_changes) was called.
    pub fn has_changes(&self) -> bool {
        self.changes.as_ref().is_some_and(|changes| !changes.is_empty())
    }

    /// What changed since the last call; nothing unless changes are tracked.
    pub fn take_changes(&mut self) -> Changes {
        self.changes.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Records what an event is about to change.
    pub(super) fn note_changes(&mut self, event: &Event) {
        let Some(mut changes) = self.changes.take() else { return };
        match event {
            Event::Apply(facts) if self.holds(facts) => {}
            Event::Apply(facts) => {
                self.note_known(&facts.object_ref(), &mut changes);
                changes.add(facts);
            }
            Event::Delete(object_ref) => {
                changes.add_object(object_ref);
                self.note_known(object_ref, &mut changes);
            }
            Event::SyncState(kind, knowledge) => changes.everything |= self.knowledge(*kind) != *knowledge,
            Event::Schema(kind, schema) => changes.everything |= self.schema(*kind) != *schema,
            Event::Covered(kind, namespaces) => changes.everything |= self.covered[*kind as usize] != *namespaces,
            Event::Secrets(..) | Event::ConfigMaps(..) => changes.everything = true,
            Event::Read(key, read) => {
                if self.read_objects.get(key) != read.as_ref() {
                    changes.keys.insert(key.clone());
                }
            }
        }
        self.changes = Some(changes);
    }

    /// Adds what the known facts about an object decide, for the kinds whose facts decide more than its own key.
    fn note_known(&self, object_ref: &ObjectRef, changes: &mut Changes) {
        match object_ref.kind {
            Kind::Gateway | Kind::ListenerSet => {
                self.gateways.listeners(object_ref).into_iter().for_each(|facts| changes.add_listeners(facts));
            }
            Kind::ReferenceGrant => {
                self.gateways.grant(object_ref).into_iter().for_each(|facts| changes.add_grant(facts))
            }
            Kind::BackendTlsPolicy => {
                self.gateways.policy(object_ref).into_iter().for_each(|facts| changes.add_policy(facts));
            }
            Kind::Ingress => {
                let known = self.ingresses.get(&object_ref.namespace, &object_ref.name);
                known.into_iter().for_each(|facts| changes.add_ingress(facts));
            }
            Kind::IngressRoute | Kind::HttpProxy => {
                self.delegations.get(object_ref).into_iter().for_each(|facts| changes.add_delegation(facts));
            }
            Kind::HostClaim => {
                self.host_claims.get(&object_ref.name).into_iter().for_each(|facts| changes.add_host_claim(facts));
            }
            Kind::Certificate => {
                self.certificates.get(object_ref).into_iter().for_each(|facts| changes.add_certificate(facts));
            }
            _ => self.gateways.route(object_ref).into_iter().for_each(|facts| changes.add_route(facts)),
        }
    }

    /// Whether the verdict on any IngressRoute may have changed since [`take_dirty`](Self::take_dirty) was called.
    pub fn is_dirty(&self) -> bool {
        !self.delegations.dirty().is_empty()
    }

    /// The IngressRoutes whose verdict may have changed since the last call.
    pub fn take_dirty(&mut self) -> Dirty {
        self.delegations.take_dirty()
    }
}
