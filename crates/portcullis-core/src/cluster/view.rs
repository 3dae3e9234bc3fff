//! The known state of the rest of the cluster, in one struct.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashbrown::HashMap;

use super::delegations::Delegations;
use super::gateways::GatewayApiIndex;
use super::host_claims::HostClaims;
use super::host_requests::HostRequests;
use super::hosts::HostIndex;
use super::index::IngressIndex;
use super::issued_certificates::IssuedCertificates;
use super::namespace_entries::NamespaceEntries;
use super::services::Services;
use super::{
    Changes, ClaimReservations, ConfigMapFacts, Event, Facts, IngressClassFacts, Lookup, NamespaceFacts,
    OfflineObjects, ReadKey, ReadObject, SecretFacts, SyncState, reservations,
};
use crate::bundle::InstalledSchema;
use crate::kinds::{Kind, ObjectRef};

/// The view: compact facts and the indexes over them.
#[derive(Debug, Default)]
pub struct Cluster {
    pub(super) knowledge: [SyncState; Kind::ALL.len()],
    /// The namespaces of which all objects are known, by kind.
    pub(super) covered: [BTreeSet<Box<str>>; Kind::ALL.len()],
    pub(super) ingresses: IngressIndex,
    pub(super) classes: BTreeMap<Box<str>, IngressClassFacts>,
    pub(super) services: Services,
    pub(super) namespaces: BTreeMap<Box<str>, NamespaceFacts>,
    pub(super) host_claims: HostClaims,
    pub(super) host_requests: HostRequests,
    pub(super) certificates: IssuedCertificates,
    /// How often a HostClaim or a HostRequest has changed.
    pub(super) claim_changes: u64,
    pub(super) gateways: GatewayApiIndex,
    pub(super) delegations: Delegations,
    /// The hosts that `gateways` and `delegations` name.
    pub(super) hosts: HostIndex,
    pub(super) schemas: [Option<InstalledSchema>; Kind::ALL.len()],
    pub(super) entries: NamespaceEntries,
    pub(super) secrets: OfflineObjects<SecretFacts>,
    /// Whether files would hold the TLS Secrets of the cluster: they hold one, or all Secrets.
    pub(super) holds_tls_secrets: bool,
    pub(super) config_maps: OfflineObjects<ConfigMapFacts>,
    /// The Secrets and ConfigMaps that were read by their names. Only a status looks at them: no check and no verdict depends on what a
    /// single replica has read.
    pub(super) read_objects: HashMap<ReadKey, ReadObject>,
    /// The claims of admitted objects that the view does not show yet. They have their own lock, because reviews change
    /// them while they share read access to the view.
    pub(super) reservations: Mutex<ClaimReservations>,
    /// What changed since it was last taken; `None` unless they are tracked.
    pub(super) changes: Option<Changes>,
}

impl Cluster {
    /// Returns a view without objects in which the state of every kind is `knowledge`.
    pub fn with(knowledge: SyncState) -> Self {
        Self { knowledge: [knowledge; Kind::ALL.len()], ..Self::default() }
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

    /// Whether `other` contains the same Secrets and ConfigMaps of files and the same schemas, and whether it is known of the same kinds and
    /// namespaces that they contain no other objects.
    pub fn knows_as_much_as(&self, other: &Self) -> bool {
        (self.knowledge, self.schemas, self.holds_tls_secrets)
            == (other.knowledge, other.schemas, other.holds_tls_secrets)
            && (&self.covered, &self.secrets, &self.config_maps) == (&other.covered, &other.secrets, &other.config_maps)
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
            Kind::Certificate => self.certificates.count(),
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
            Facts::IssuedCertificate(facts) => self.certificates.get(&facts.object_ref) == Some(facts),
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
            Facts::Listeners(facts) => self.gateways.listeners(&facts.object_ref).cloned().map(Facts::Listeners),
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
            Kind::Certificate => self.certificates.object_refs().cloned().collect(),
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
            SyncState::NotSynced | SyncState::Stale | SyncState::Forbidden | SyncState::NotServed => false,
        }
    }

    /// The result for the object at `object_ref`, given the facts that the view holds for it. The content of an object that
    /// is cut is unknown.
    pub(super) fn answer_at<T>(&self, object_ref: &ObjectRef, held: Option<T>) -> Lookup<T> {
        match held {
            None if self.is_cut(object_ref) => Lookup::Unknown,
            held => self.answer(object_ref.kind, &object_ref.namespace, held),
        }
    }

    /// The result for one object of `kind` in `namespace`, given the facts that the view holds for it.
    pub(super) fn answer<T>(&self, kind: Kind, namespace: &str, held: Option<T>) -> Lookup<T> {
        match held {
            Some(facts) => Lookup::Found(facts),
            None if self.knows(kind, namespace) => Lookup::Absent,
            None => Lookup::Unknown,
        }
    }
}
