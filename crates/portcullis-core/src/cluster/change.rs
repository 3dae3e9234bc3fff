//! Applies changes to the view.

use std::sync::PoisonError;

use super::namespace_entries::{CutChange, OwnChange};
use super::{Cluster, Event, Facts, SecretFacts, delegations};
use crate::kinds::{Kind, ObjectRef};

impl Cluster {
    /// Applies one change. The cost depends only on the objects that the change concerns.
    pub fn apply(&mut self, event: Event) {
        self.end_reservation(&event);
        let CutChange { own, newest, changes_knowledge } = self.count_entries(&event);
        for object_ref in newest {
            self.change(Event::Delete((*object_ref).clone()));
            self.delegations.touch_object(&object_ref);
        }
        match own {
            None => self.change(event),
            Some(OwnChange { object_ref, was_cut, is_cut }) => {
                match (was_cut, is_cut) {
                    (_, false) => self.change(event),
                    (false, true) => self.change(Event::Delete((*object_ref).clone())),
                    (true, true) => {}
                }
                if was_cut != is_cut {
                    self.delegations.touch_object(&object_ref);
                }
            }
        }
        if let Some(changes) = self.changes.as_mut().filter(|_| changes_knowledge) {
            changes.everything = true;
        }
    }

    /// Changes the objects that the view keeps.
    fn change(&mut self, event: Event) {
        self.note_changes(&event);
        let changed = self.changed_object(&event);
        changed.iter().for_each(|object_ref| self.touch_roots_with_hosts_of(object_ref));
        self.replace(event);
        changed.iter().for_each(|object_ref| self.touch_roots_with_hosts_of(object_ref));
    }

    fn replace(&mut self, event: Event) {
        match event {
            Event::Apply(Facts::Ingress(facts)) => self.ingresses.put(facts),
            Event::Apply(Facts::IngressClass(facts)) => {
                if self.classes.get(&facts.name) != Some(&facts) {
                    self.delegations.touch_everything();
                }
                self.classes.insert(facts.name.clone(), facts);
            }
            Event::Apply(Facts::Service(facts)) => {
                self.delegations.touch_users(&facts.namespace, &facts.name);
                self.services.put(facts);
            }
            Event::Apply(Facts::Namespace(facts)) => {
                if self.namespaces.get(&facts.name) != Some(&facts) {
                    self.touch_namespace(&facts.name);
                }
                self.namespaces.insert(facts.name.clone(), facts);
            }
            Event::Apply(Facts::GatewayClass(facts)) => self.gateways.put_class(facts),
            Event::Apply(Facts::Listeners(facts)) => self.gateways.put_listeners(facts, &mut self.hosts),
            Event::Apply(Facts::GatewayRoute(facts)) => self.gateways.put_route(facts, &mut self.hosts),
            Event::Apply(Facts::ReferenceGrant(facts)) => self.gateways.put_grant(facts),
            Event::Apply(Facts::BackendTlsPolicy(facts)) => self.gateways.put_policy(facts),
            Event::Apply(Facts::Delegation(facts)) => self.delegations.put(*facts, &mut self.hosts),
            Event::Apply(Facts::Certificates(facts)) => self.delegations.put_certificates(facts),
            Event::Apply(Facts::HostClaim(facts)) => {
                if self.host_claims.get(&facts.name) != Some(&facts) {
                    self.delegations.touch_everything();
                    self.claim_changes += 1;
                }
                self.host_claims.put(facts);
            }
            Event::Apply(Facts::HostRequest(facts)) => {
                self.claim_changes += u64::from(self.host_requests.get(&facts.object_ref) != Some(&facts));
                self.host_requests.put(facts);
            }
            Event::Apply(Facts::IssuedCertificate(facts)) => self.certificates.put(facts),
            Event::Delete(object_ref) => self.remove(&object_ref),
            Event::Schema(kind, schema) => self.schemas[kind as usize] = schema,
            Event::Secrets(secrets) => {
                if self.secrets != secrets {
                    self.holds_tls_secrets = secrets.would_hold(SecretFacts::is_for_tls);
                    self.secrets = secrets;
                    self.delegations.touch_everything();
                }
            }
            Event::ConfigMaps(config_maps) => self.config_maps = config_maps,
            Event::Read(key, Some(read)) => drop(self.read_objects.insert(key, read)),
            Event::Read(key, None) => drop(self.read_objects.remove(&key)),
            Event::Covered(kind, namespaces) => {
                let before = std::mem::replace(&mut self.covered[kind as usize], namespaces);
                if before != self.covered[kind as usize] && delegations::VERDICT_KINDS.contains(kind) {
                    self.delegations.touch_everything();
                }
            }
            Event::SyncState(kind, knowledge) => {
                let before = std::mem::replace(&mut self.knowledge[kind as usize], knowledge);
                if before != knowledge && delegations::VERDICT_KINDS.contains(kind) {
                    self.delegations.touch_everything();
                }
            }
        }
    }

    fn remove(&mut self, object_ref: &ObjectRef) {
        match object_ref.kind {
            Kind::Ingress => self.ingresses.remove(&object_ref.namespace, &object_ref.name),
            Kind::IngressClass => {
                self.delegations.touch_everything();
                self.classes.remove(object_ref.name.as_str());
            }
            Kind::Service => {
                self.delegations.touch_users(&object_ref.namespace, &object_ref.name);
                self.services.remove(&object_ref.namespace, &object_ref.name);
            }
            Kind::Namespace => {
                self.touch_namespace(&object_ref.name);
                self.namespaces.remove(object_ref.name.as_str());
            }
            Kind::IngressRoute | Kind::HttpProxy => self.delegations.remove(object_ref, &mut self.hosts),
            Kind::TlsCertificateDelegation | Kind::ProxyCertificateDelegation => {
                self.delegations.remove_certificates(object_ref);
            }
            Kind::HostClaim => {
                self.delegations.touch_everything();
                self.claim_changes += 1;
                self.host_claims.remove(&object_ref.name);
            }
            Kind::HostRequest => {
                self.claim_changes += 1;
                self.host_requests.remove(object_ref);
            }
            Kind::Certificate => self.certificates.remove(object_ref),
            _ => self.gateways.remove(object_ref, &mut self.hosts),
        }
    }

    /// Marks what depends on the labels of a Namespace. Whether a HostClaim has an effect does, and its host may have roots anywhere.
    fn touch_namespace(&mut self, name: &str) {
        if self.host_claims.are_none() {
            self.delegations.touch_roots_in(name);
            self.touch_roots_with_hosts_in(name);
        } else {
            self.delegations.touch_everything();
        }
    }

    /// Ends the reservation of an object that an event applies or deletes.
    fn end_reservation(&mut self, event: &Event) {
        let reservations = self.reservations.get_mut().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Apply(facts) => reservations.appeared(facts),
            Event::Delete(object_ref) => reservations.end(object_ref),
            Event::SyncState(..)
            | Event::Covered(..)
            | Event::Schema(..)
            | Event::Secrets(..)
            | Event::ConfigMaps(..)
            | Event::Read(..) => {}
        }
    }
}
