//! The known state of the rest of the cluster, in one struct. Watches, files or a single list can fill it.
//!
//! [`Event`]s change the state, and look-ups return answers that distinguish a known absence from missing knowledge.
//! This module does no IO and reads no clock.

mod added_hosts;
mod allowed_namespaces;
pub mod claim_set;
mod claim_table;
pub mod config_map_facts;
mod data_entry;
pub mod data_planes;
pub mod delegation_facts;
pub mod delegations;
mod dependencies;
pub mod dirty;
pub mod facts;
pub mod gateway_facts;
mod gateway_settings;
pub mod gateways;
pub mod grant_facts;
pub mod header_facts;
pub mod host_claims;
pub mod host_requests;
pub mod host_template;
pub mod hosts;
mod hosts_below;
pub mod index;
mod ingress_claim;
pub mod ingress_services;
mod listener_index;
pub mod name;
pub mod namespace_entries;
mod offline_objects;
pub mod overlay;
pub mod ownership;
pub mod plane_key;
mod read_objects;
pub mod reads;
mod released_claims;
pub mod reservations;
pub mod route_claim;
pub mod route_index;
mod same_hosts;
pub mod secret_facts;
pub mod selector;
pub mod service_users;
pub mod service_uses;
pub mod services;
pub mod shared;
mod similar;
pub mod small_set;
mod trace;
mod unseen_claims;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;

use crate::bundle::InstalledSchema;
use crate::kinds::{Kind, ObjectRef};
pub use config_map_facts::{ConfigMapFacts, NGINX_CONTROLLER};
pub use data_entry::DataEntry;
pub use data_planes::{ClosestRelation, DataPlanes, Plane, PlaneInputs, Relation};
use delegations::Delegations;
pub use dirty::Dirty;
pub use facts::{Facts, IngressClassFacts, IngressFacts, NamespaceFacts, RouteFacts, ServiceFacts};
use gateways::GatewayApiIndex;
use host_claims::HostClaims;
use host_requests::HostRequests;
pub use host_template::HostTemplate;
use hosts::HostIndex;
pub use hosts_below::{HostBelow, HostCursor, Reach};
use index::IngressIndex;
pub use ingress_claim::IngressClaim;
pub use name::Name;
use namespace_entries::{CutChange, NamespaceEntries, OwnChange};
pub use offline_objects::OfflineObjects;
pub use overlay::Overlay;
pub use ownership::Ownership;
pub use plane_key::PlaneKey;
pub use read_objects::{ReadFacts, ReadFailure, ReadObject};
pub use reads::{Changes, ReadKey, Reads};
pub use reservations::{ClaimReservations, ReservedClaim};
pub use secret_facts::SecretFacts;
pub use selector::{Extra, Subject, User};
use services::Services;
pub use shared::{CpuClock, SharedCluster, SharedView, View};
pub use trace::Trace;

/// The result of looking up one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup<T> {
    /// The object exists.
    Found(T),
    /// The object is known not to exist. Only this result may become a finding.
    Absent,
    /// The object may or may not exist.
    Unknown,
}

impl<T> Lookup<T> {
    /// The result, if there is one.
    pub fn found(self) -> Option<T> {
        match self {
            Self::Found(found) => Some(found),
            Self::Absent | Self::Unknown => None,
        }
    }

    /// The same answer, about what `part` takes of the object.
    pub fn map<P>(self, part: impl FnOnce(T) -> P) -> Lookup<P> {
        match self {
            Self::Found(object) => Lookup::Found(part(object)),
            Self::Absent => Lookup::Absent,
            Self::Unknown => Lookup::Unknown,
        }
    }
}

/// How much of one kind is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SyncState {
    /// The first list of the kind has not arrived. It may not have been requested, because no check needs the kind yet.
    #[default]
    NotSynced,
    /// Every object of the kind is known.
    Complete,
    /// Some objects are known and others may exist. Manifests contain all objects of a kind in some namespaces at most.
    Partial,
    /// Lists and watches of the kind have failed for so long that the known objects were forgotten.
    Stale,
    /// Portcullis may not read the kind (RBAC).
    Forbidden,
    /// The API server does not serve the kind.
    NotServed,
}

/// A change of the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// An object was created or changed.
    Apply(Facts),
    /// An object was deleted.
    Delete(ObjectRef),
    /// The knowledge of a kind changed.
    SyncState(Kind, SyncState),
    /// The schema of a kind that is installed as a CRD changed; `None` if the API server does not report bundle and
    /// channel.
    Schema(Kind, Option<InstalledSchema>),
    /// The namespaces in which every object of a kind is known although objects of other namespaces are not.
    Covered(Kind, BTreeSet<Box<str>>),
    /// The Secrets in files.
    Secrets(OfflineObjects<SecretFacts>),
    /// The ConfigMaps in files.
    ConfigMaps(OfflineObjects<ConfigMapFacts>),
    /// What reading a Secret or a ConfigMap by its name has shown; `None` to forget it.
    Read(ReadKey, Option<ReadObject>),
}

impl Event {
    /// The number of entries that the view stores for this event.
    fn entries(&self) -> usize {
        match self {
            Self::Apply(facts) => facts.entries(),
            Self::Delete(_)
            | Self::SyncState(..)
            | Self::Schema(..)
            | Self::Covered(..)
            | Self::Secrets(..)
            | Self::ConfigMaps(..)
            | Self::Read(..) => 0,
        }
    }
}

/// The view: compact facts and the indexes over them.
#[derive(Debug, Default)]
pub struct Cluster {
    knowledge: [SyncState; Kind::ALL.len()],
    /// The namespaces of which all objects are known, by kind.
    covered: [BTreeSet<Box<str>>; Kind::ALL.len()],
    ingresses: IngressIndex,
    classes: BTreeMap<Box<str>, IngressClassFacts>,
    services: Services,
    namespaces: BTreeMap<Box<str>, NamespaceFacts>,
    host_claims: HostClaims,
    host_requests: HostRequests,
    /// How often a HostClaim or a HostRequest has changed.
    claim_changes: u64,
    gateways: GatewayApiIndex,
    delegations: Delegations,
    /// The hosts that `gateways` and `delegations` name.
    hosts: HostIndex,
    schemas: [Option<InstalledSchema>; Kind::ALL.len()],
    entries: NamespaceEntries,
    secrets: OfflineObjects<SecretFacts>,
    /// Whether files would hold the TLS Secrets of the cluster: they hold one, or all Secrets.
    holds_tls_secrets: bool,
    config_maps: OfflineObjects<ConfigMapFacts>,
    /// The Secrets and ConfigMaps that were read by their names. Only a status looks at them: no check and no verdict depends on what a
    /// single replica has read.
    read_objects: HashMap<ReadKey, ReadObject>,
    /// The claims of admitted objects that the view does not show yet. They have their own lock, because reviews change
    /// them while they share read access to the view.
    reservations: Mutex<ClaimReservations>,
    /// What changed since it was last taken; `None` unless they are tracked.
    changes: Option<Changes>,
}

impl Cluster {
    /// Returns a view without objects in which the state of every kind is `knowledge`.
    pub fn with(knowledge: SyncState) -> Self {
        Self { knowledge: [knowledge; Kind::ALL.len()], ..Self::default() }
    }

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

    /// Returns a view that contains exactly these objects.
    pub fn of_facts(facts: &[Arc<Facts>]) -> Self {
        let mut cluster = Self::with(SyncState::Complete);
        facts.iter().for_each(|facts| cluster.apply(Event::Apply((**facts).clone())));
        cluster
    }

    /// The claims of admitted objects that the view does not show yet. A poisoned lock is used nevertheless: a panic
    /// leaves at worst one incomplete reservation.
    pub fn reservations(&self) -> MutexGuard<'_, ClaimReservations> {
        self.reservations.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn note_changes(&mut self, event: &Event) {
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

    /// The installed schema of `kind`; `None` if the API server does not report it.
    pub fn schema(&self, kind: Kind) -> Option<InstalledSchema> {
        self.schemas[kind as usize]
    }

    /// How much of `kind` is known.
    pub fn knowledge(&self, kind: Kind) -> SyncState {
        self.knowledge[kind as usize]
    }

    /// Whether every object of `kind` is known; none exists where the API server does not serve the kind.
    pub fn knows_all(&self, kind: Kind) -> bool {
        matches!(self.knowledge(kind), SyncState::Complete | SyncState::NotServed)
    }

    /// Whether a HostClaim of this name is known.
    pub fn has_host_claim(&self, name: &str) -> bool {
        self.host_claims.get(name).is_some()
    }

    /// How often a HostClaim or a HostRequest has changed.
    pub fn claim_changes(&self) -> u64 {
        self.claim_changes
    }

    /// The number of objects of `kind` that are known to exist.
    pub fn count(&self, kind: Kind) -> usize {
        let kept = match kind {
            Kind::Ingress => self.ingresses.count(),
            Kind::IngressClass => self.classes.len(),
            Kind::Service => self.services.count(),
            Kind::Namespace => self.namespaces.len(),
            Kind::HostClaim => self.host_claims.count(),
            Kind::HostRequest => self.host_requests.count(),
            kind if kind.is_of_contour() => self.delegations.count(kind),
            _ => self.gateways.count(kind),
        };
        kept + self.cut_objects(kind)
    }

    /// Whether the view already contains exactly these facts.
    pub fn holds(&self, facts: &Facts) -> bool {
        match facts {
            Facts::Ingress(facts) => {
                self.ingresses.get(&facts.object_ref.namespace, &facts.object_ref.name) == Some(facts)
            }
            Facts::IngressClass(facts) => self.classes.get(&facts.name) == Some(facts),
            Facts::Service(facts) => self.services.get(&facts.namespace, &facts.name) == Some(facts),
            Facts::Namespace(facts) => self.namespaces.get(&facts.name) == Some(facts),
            Facts::GatewayClass(facts) => self.gateways.class(&facts.name) == Some(facts),
            Facts::Listeners(facts) => self.gateways.listeners(&facts.object_ref) == Some(facts),
            Facts::GatewayRoute(facts) => self.gateways.route(&facts.object_ref) == Some(facts),
            Facts::ReferenceGrant(facts) => self.gateways.grant(&facts.object_ref) == Some(facts),
            Facts::BackendTlsPolicy(facts) => self.gateways.policy(&facts.object_ref) == Some(facts),
            Facts::Delegation(facts) => self.delegations.get(&facts.object_ref) == Some(&**facts),
            Facts::Certificates(facts) => self.delegations.certificate(&facts.object_ref) == Some(facts),
            Facts::HostClaim(facts) => self.host_claims.get(&facts.name) == Some(facts),
            Facts::HostRequest(facts) => self.host_requests.get(&facts.object_ref) == Some(facts),
        }
    }

    /// Whether the view contains the object of these facts with the same claim, whatever else of it has changed since. An object of the same
    /// name with another creation time is another one.
    pub fn has_claim(&self, facts: &Facts) -> bool {
        let known = match facts {
            Facts::Ingress(facts) => {
                let known = self.ingresses.get(&facts.object_ref.namespace, &facts.object_ref.name);
                known.cloned().map(Facts::Ingress)
            }
            Facts::Delegation(facts) => {
                self.delegations.get(&facts.object_ref).cloned().map(|known| Facts::Delegation(Box::new(known)))
            }
            Facts::GatewayRoute(facts) => self.gateways.route(&facts.object_ref).cloned().map(Facts::GatewayRoute),
            Facts::IngressClass(facts) => self.classes.get(&facts.name).cloned().map(Facts::IngressClass),
            Facts::GatewayClass(facts) => self.gateways.class(&facts.name).cloned().map(Facts::GatewayClass),
            _ => None,
        };
        known.is_some_and(|known| known.created() == facts.created() && reservations::claims_same(&known, facts))
    }

    /// References to all objects of `kind` that are known to exist.
    pub fn object_refs(&self, kind: Kind) -> Vec<ObjectRef> {
        let mut object_refs: Vec<ObjectRef> = match kind {
            Kind::Ingress => self.ingresses.iter().map(|facts| facts.object_ref.clone()).collect(),
            Kind::IngressClass => self.classes.keys().map(|name| ObjectRef::new(kind, "", name)).collect(),
            Kind::Service => self.services.iter().map(|facts| facts.object_ref()).collect(),
            Kind::Namespace => self.namespaces.keys().map(|name| ObjectRef::new(kind, "", name)).collect(),
            Kind::HostClaim => self.host_claims.names().map(|name| ObjectRef::new(kind, "", name)).collect(),
            Kind::HostRequest => self.host_requests.iter().map(|facts| facts.object_ref.clone()).collect(),
            kind if kind.is_of_contour() => self.delegations.object_refs(kind),
            _ => self.gateways.object_refs(kind),
        };
        object_refs.extend(self.entries.cut_object_refs(kind).cloned());
        object_refs
    }

    /// Whether every object of `kind` in `namespace` is known.
    pub fn knows(&self, kind: Kind, namespace: &str) -> bool {
        match self.knowledge(kind) {
            SyncState::Complete => true,
            SyncState::Partial => self.covered[kind as usize].contains(namespace),
            _ => false,
        }
    }

    /// The result for the object at `object_ref`, given the facts that the view holds for it. The content of an object that
    /// is cut is unknown.
    fn answer_at<T>(&self, object_ref: &ObjectRef, held: Option<T>) -> Lookup<T> {
        match held {
            None if self.is_cut(object_ref) => Lookup::Unknown,
            held => self.answer(object_ref.kind, &object_ref.namespace, held),
        }
    }

    /// The result for one object of `kind` in `namespace`, given the facts that the view holds for it.
    fn answer<T>(&self, kind: Kind, namespace: &str, held: Option<T>) -> Lookup<T> {
        match held {
            Some(facts) => Lookup::Found(facts),
            None if self.knows(kind, namespace) => Lookup::Absent,
            None => Lookup::Unknown,
        }
    }
}
