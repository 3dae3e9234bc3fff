//! The parts of the view that a computed value depends on, so that a change leads to exactly the values that it may
//! affect.

use std::cell::RefCell;

use hashbrown::HashSet;

use super::delegation_facts::DelegationFacts;
use super::facts::{Facts, IngressFacts};
use super::gateway_facts::{DEFAULT_GATEWAYS, GatewayRouteFacts, GrantFacts, ListenersFacts, PolicyFacts};
use super::host_claims::HostClaimFacts;
use super::issued_certificates::IssuedCertificateFacts;
use super::name::Name;
use crate::kinds::{Kind, ObjectRef};
use crate::matching::Host;

/// A part of the view that an answer depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ReadKey {
    /// One object: whether it exists, and what it contains.
    Object(ObjectRef),
    /// The routes of a kind that refer to a Gateway or a ListenerSet, or to the default Gateways.
    RoutesOf(ObjectRef, Kind),
    /// The routes that send requests to a Service.
    RoutesTo(ObjectRef),
    /// The listeners that accept a route.
    AttachmentsOf(ObjectRef),
    /// The number of routes that each listener of a Gateway or a ListenerSet accepts.
    AttachedTo(ObjectRef),
    /// The ListenerSets of a Gateway.
    SetsOf(ObjectRef),
    /// The Gateways of a class.
    GatewaysOf(Box<str>),
    /// The Gateways to which routes with `useDefaultGateways` attach.
    DefaultGateways,
    /// The grants of a namespace, the first, for references from another one, the second.
    Grants(Box<str>, Box<str>),
    /// The policies that target a Service.
    PoliciesOf(ObjectRef),
    /// The objects that name exactly this host, by its labels in reverse order.
    Naming(Box<str>),
    /// The number of HostClaims of a namespace.
    HostClaimsOf(Box<str>),
    /// The verdict on an IngressRoute.
    Verdict(ObjectRef),
    /// Any object of a kind.
    Kind(Kind),
    /// The Secret of this name, if it is not in a file.
    Secret(Name),
    /// The ConfigMap of this name, if it is not in a file.
    ConfigMap(Name),
}

impl ReadKey {
    /// The name of the object that only a read of its name makes known.
    pub fn named(&self) -> Option<&Name> {
        match self {
            Self::Secret(name) | Self::ConfigMap(name) => Some(name),
            _ => None,
        }
    }
}

/// The keys that the look-ups of one computation have read.
#[derive(Debug, Default)]
pub struct Reads(RefCell<HashSet<ReadKey>>);

impl Reads {
    /// Adds a key.
    pub fn record(&self, key: ReadKey) {
        self.0.borrow_mut().insert(key);
    }

    /// The recorded keys.
    pub fn into_keys(self) -> HashSet<ReadKey> {
        self.0.into_inner()
    }
}

/// The changes of a view since they were last taken.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    /// Whether the knowledge of a kind changed, which may affect every value.
    pub everything: bool,
    /// The keys whose answers may have changed.
    pub keys: HashSet<ReadKey>,
}

impl Changes {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        !self.everything && self.keys.is_empty()
    }

    /// Adds the keys that the existence or the content of an object with these facts decides.
    pub fn add(&mut self, facts: &Facts) {
        self.add_object(&facts.object_ref());
        match facts {
            Facts::Listeners(facts) => self.add_listeners(facts),
            Facts::GatewayRoute(facts) => self.add_route(facts),
            Facts::ReferenceGrant(facts) => self.add_grant(facts),
            Facts::BackendTlsPolicy(facts) => self.add_policy(facts),
            Facts::HostClaim(facts) => self.add_host_claim(facts),
            Facts::Ingress(facts) => self.add_ingress(facts),
            Facts::Delegation(facts) => self.add_delegation(facts),
            Facts::IssuedCertificate(facts) => self.add_certificate(facts),
            _ => {}
        }
    }

    /// Adds the keys of an object whose facts are not known.
    pub fn add_object(&mut self, object_ref: &ObjectRef) {
        self.keys.insert(ReadKey::Object(object_ref.clone()));
        self.keys.insert(ReadKey::Kind(object_ref.kind));
    }

    /// Adds the keys that the content of a Gateway or a ListenerSet decides.
    pub fn add_listeners(&mut self, facts: &ListenersFacts) {
        self.keys.insert(match &facts.parent {
            Some(parent) => ReadKey::SetsOf(parent.clone()),
            None => ReadKey::GatewaysOf(facts.class.clone()),
        });
        if facts.is_default {
            self.keys.insert(ReadKey::DefaultGateways);
        }
        facts.listeners.iter().for_each(|listener| self.add_host(&listener.host));
    }

    /// Adds the keys that the content of a route decides.
    pub fn add_route(&mut self, facts: &GatewayRouteFacts) {
        let kind = facts.object_ref.kind;
        let defaults = facts.uses_defaults.then(|| DEFAULT_GATEWAYS.clone());
        let parents = facts.parents.iter().map(|parent| parent.target.clone()).chain(defaults);
        self.keys.extend(parents.map(|parent| ReadKey::RoutesOf(parent, kind)));
        self.keys.extend(facts.service_refs().map(ReadKey::RoutesTo));
        facts.hosts.iter().for_each(|host| self.add_host(host));
    }

    /// Adds the keys that the content of a grant decides.
    pub fn add_grant(&mut self, facts: &GrantFacts) {
        let own = &facts.object_ref.namespace;
        self.keys.extend(facts.from.iter().map(|(_, _, from)| ReadKey::Grants(own.as_str().into(), from.clone())));
    }

    /// Adds the keys that the content of a policy decides.
    pub fn add_policy(&mut self, facts: &PolicyFacts) {
        let service = |name: &str| ObjectRef::new(Kind::Service, &facts.object_ref.namespace, name);
        self.keys.extend(facts.targets.iter().map(|(name, _)| ReadKey::PoliciesOf(service(name))));
    }

    /// Adds the keys that the hosts of an Ingress decide.
    pub fn add_ingress(&mut self, facts: &IngressFacts) {
        facts.routes.iter().for_each(|route| self.add_host(&route.host()));
    }

    /// Adds the keys that the host of a root decides.
    pub fn add_delegation(&mut self, facts: &DelegationFacts) {
        facts.root.iter().for_each(|host| self.add_host(host));
    }

    fn add_host(&mut self, host: &Host<'_>) {
        self.keys.insert(ReadKey::Naming(host.from_the_right().into()));
    }

    /// Adds the key of the Secret of a Certificate, whose state explains why it does not exist.
    pub fn add_certificate(&mut self, facts: &IssuedCertificateFacts) {
        self.keys.insert(ReadKey::Secret((facts.object_ref.namespace.as_str().into(), facts.secret.clone())));
    }

    /// Adds the key that the owner of a HostClaim decides.
    pub fn add_host_claim(&mut self, facts: &HostClaimFacts) {
        self.keys.insert(ReadKey::HostClaimsOf(facts.namespace.clone()));
    }
}
