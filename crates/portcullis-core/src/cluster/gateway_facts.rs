//! The facts of the objects of the Gateway API.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use jiff::Timestamp;

pub use super::allowed_namespaces::{AllowedNamespaces, SelectorFacts};
pub use super::gateway_class_facts::{GatewayClassFacts, ParametersFacts};
pub use super::gateway_settings::{CertificateRef, GatewaySettings, PortAuthorities, RequestedAddress};
pub use super::grant_facts::{GrantFacts, Permission, PolicyFacts};
use crate::field::At;
use crate::finding::Finding;
use crate::kinds::filter::BackendRef;
use crate::kinds::listener::{self, AllowedRoutes};
use crate::kinds::reference::GATEWAY_GROUP;
use crate::kinds::reference::{ParentRef, TargetRef};
use crate::kinds::walk::RouteParts;
use crate::kinds::walk::listener::certificates_of;
use crate::kinds::{Gateway, Kind, Listener, ListenerSet, Listeners, ObjectRef, Route};
use crate::matching::mark::is_solver_route;
use crate::matching::{Host, request};
use crate::validation::listener::ListenerError;
use crate::validation::{self, ObjectError};

/// The facts of an object with listeners: a Gateway or a ListenerSet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenersFacts {
    /// The reference to the object.
    pub object_ref: ObjectRef,
    /// The class of a Gateway; empty for a ListenerSet.
    pub class: Box<str>,
    /// The Gateway to which a ListenerSet adds listeners.
    pub parent: Option<ObjectRef>,
    /// The listeners, in document order.
    pub listeners: Box<[ListenerFacts]>,
    /// The namespaces whose ListenerSets may add listeners to a Gateway.
    pub allowed_listeners: AllowedNamespaces,
    /// Whether routes with `useDefaultGateways` attach to this Gateway (`defaultScope: All`).
    pub is_default: bool,
    /// The error for which a controller rejects the object as a whole.
    pub error: Option<Box<ObjectError>>,
    /// The further settings of a Gateway, if it has any.
    pub settings: Option<Box<GatewaySettings>>,
    /// The creation time.
    pub created: Option<Timestamp>,
}

/// The age of an object with listeners. Of two that conflict, the lesser is served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ListenerOwnerAge {
    /// A Gateway, before its ListenerSets.
    Gateway,
    /// A ListenerSet that was created at this time.
    Created(Timestamp),
    /// A ListenerSet that has not been created yet.
    New,
}

impl ListenersFacts {
    /// Returns the facts of `gateway`.
    pub fn of_gateway(gateway: &Gateway<'_>) -> Self {
        let (listeners, error) = listeners_of(&gateway.listeners());
        Self {
            object_ref: ObjectRef::new(Kind::Gateway, gateway.metadata.namespace(), gateway.metadata.name()),
            class: gateway.class().into(),
            parent: None,
            listeners,
            allowed_listeners: gateway
                .allowed_listeners()
                .map_or(AllowedNamespaces::None, |from| AllowedNamespaces::of(from, AllowedNamespaces::None)),
            is_default: gateway.spec.default_scope.as_deref() == Some("All"),
            error: validation::gateway::first_error(gateway).or(error).map(|finding| Box::new(finding.into())),
            settings: GatewaySettings::of(gateway),
            created: gateway.metadata.created(),
        }
    }

    /// Returns the facts of `set`.
    pub fn of_set(set: &ListenerSet<'_>) -> Self {
        let namespace = set.metadata.namespace();
        let (listeners, error) = listeners_of(&set.listeners());
        Self {
            object_ref: ObjectRef::new(Kind::ListenerSet, namespace, set.metadata.name()),
            class: Box::default(),
            parent: ParentFacts::of(&set.spec.parent_ref, namespace).map(|parent| parent.target),
            listeners,
            allowed_listeners: AllowedNamespaces::None,
            is_default: false,
            error: validation::listener_set::first_error(set).or(error).map(|finding| Box::new(finding.into())),
            settings: None,
            created: set.metadata.created(),
        }
    }

    /// The Gateway that serves the listeners: the object itself, or the parent of a ListenerSet.
    pub fn gateway(&self) -> &ObjectRef {
        self.parent.as_ref().unwrap_or(&self.object_ref)
    }

    /// The age of the object.
    pub fn owner_age(&self) -> ListenerOwnerAge {
        match (self.object_ref.kind, self.created) {
            (Kind::Gateway, _) => ListenerOwnerAge::Gateway,
            (_, Some(created)) => ListenerOwnerAge::Created(created),
            (_, None) => ListenerOwnerAge::New,
        }
    }

    /// The order of two objects of one Gateway, the one that takes precedence first: by age, then by namespace and
    /// name.
    pub fn precedence(&self, other: &Self) -> Ordering {
        self.owner_age().cmp(&other.owner_age()).then_with(|| self.object_ref.cmp_by_text(&other.object_ref))
    }

    /// The listeners that have a port, each with it.
    pub fn with_port(&self) -> impl Iterator<Item = (i64, &ListenerFacts)> {
        self.listeners.iter().filter_map(|listener| Some((listener.port?, listener)))
    }
}

/// The facts of all listeners of an object, each with its first error, and the first error of the list as a whole.
fn listeners_of(listeners: &Listeners<'_, '_>) -> (Box<[ListenerFacts]>, Option<Finding>) {
    let of = |(index, listener): (usize, &Listener<'_>)| {
        let certificates = match listener.is_tls() && !listener.is_passthrough() {
            true => certificates_of(index, listener).map(|site| certificate(site, listeners)).collect(),
            false => Box::default(),
        };
        ListenerFacts { certificates, ..ListenerFacts::of(listener) }
    };
    let mut facts: Box<[ListenerFacts]> = listeners.all.iter().enumerate().map(of).collect();
    let mut whole = None;
    for ListenerError { listener, finding } in validation::listener::errors(listeners) {
        match listener.and_then(|index| facts.get_mut(index)) {
            Some(own) => drop(own.error.get_or_insert_with(|| Box::new(finding.into()))),
            None => drop(whole.get_or_insert(finding)),
        }
    }
    (facts, whole)
}

fn certificate(site: (At, &TargetRef<'_>), listeners: &Listeners<'_, '_>) -> CertificateRef {
    CertificateRef::of(site, "listener/certificate-ref-malformed", "Secret", listeners.metadata.namespace())
}

/// The facts of one listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenerFacts {
    /// The name.
    pub name: Box<str>,
    /// The host for which it accepts requests.
    pub host: Host<'static>,
    /// The port on which it listens.
    pub port: Option<i64>,
    /// The protocol, as written.
    pub protocol: Box<str>,
    /// Whether the TLS mode is `Passthrough`, so that the backend terminates TLS.
    pub passthrough: bool,
    /// Whether its protocol requires `tls`, which it does not have.
    pub lacks_tls: bool,
    /// The certificates with which it terminates TLS.
    pub certificates: Box<[CertificateRef]>,
    /// The namespaces whose routes may attach.
    pub from: AllowedNamespaces,
    /// Group and kind of the routes that may attach; empty if the protocol decides.
    pub kinds: Box<[(Box<str>, Box<str>)]>,
    /// The error for which a controller rejects the listener.
    pub error: Option<Box<ObjectError>>,
}

impl ListenerFacts {
    /// Returns the facts of `listener`, without its certificates and its error, which depend on the object that contains it.
    pub fn of(listener: &Listener<'_>) -> Self {
        let allowed = listener.allowed_routes.as_ref();
        let namespaces = allowed.and_then(|allowed| allowed.namespaces.as_ref());
        Self {
            name: (*listener.name).into(),
            host: Host::parse(listener.hostname()).into_owned(),
            port: listener.port,
            protocol: (*listener.protocol).into(),
            passthrough: listener.is_passthrough(),
            lacks_tls: listener.is_tls() && listener.tls.is_none(),
            certificates: Box::default(),
            from: namespaces
                .map_or(AllowedNamespaces::Same, |from| AllowedNamespaces::of(from, AllowedNamespaces::Same)),
            kinds: allowed.map(kinds).unwrap_or_default(),
            error: None,
        }
    }

    /// Whether its protocol distinguishes hosts.
    pub fn has_host(&self) -> bool {
        listener::has_host(&self.protocol)
    }

    /// The host by which it is distinguished from others of its port and protocol; `Host::Any` if the protocol does not
    /// distinguish hosts.
    pub fn distinct_host(&self) -> Host<'_> {
        if self.has_host() { self.host.borrowed() } else { Host::Any }
    }
}

fn kinds(allowed: &AllowedRoutes<'_>) -> Box<[(Box<str>, Box<str>)]> {
    let named = allowed.kinds.iter().map(|kind| {
        let group = kind.group.as_deref().unwrap_or(GATEWAY_GROUP);
        (Box::from(group), Box::from(&*kind.kind))
    });
    named.collect()
}

/// A parent of a route.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ParentFacts {
    /// The Gateway or ListenerSet.
    pub target: ObjectRef,
    /// The name of the listener.
    pub section: Option<Box<str>>,
    /// The port of the listeners.
    pub port: Option<i64>,
}

impl ParentFacts {
    /// Resolves `parent` in an object of `namespace`; `None` if it does not refer to a kind with listeners.
    pub fn of(parent: &ParentRef<'_>, namespace: &str) -> Option<Self> {
        let target = ObjectRef::new(parent.known()?, parent.namespace_from(namespace), &parent.name);
        Some(Self { target, section: parent.section().map(Box::from), port: parent.port })
    }
}

/// A placeholder for all default Gateways among the parents of routes.
pub static DEFAULT_GATEWAYS: ObjectRef =
    ObjectRef { kind: Kind::Gateway, namespace: String::new(), name: String::new() };

/// The namespace of a Service, unless it is that of the route, and the name.
pub type ServiceName = (Option<Box<str>>, Box<str>);

/// The facts of a route of the Gateway API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayRouteFacts {
    /// The reference to the route.
    pub object_ref: ObjectRef,
    /// The parents that have listeners.
    pub parents: Box<[ParentFacts]>,
    /// Whether it also attaches to the default Gateways (GEP-3793).
    pub uses_defaults: bool,
    /// The hosts that it names; empty if it serves the hosts of its listeners.
    pub hosts: Box<[Host<'static>]>,
    /// The conditions of its matches, in canonical form, sorted and without duplicates.
    pub matches: Box<[Box<str>]>,
    /// The Services to which it sends requests, sorted and without duplicates.
    pub services: Box<[ServiceName]>,
    /// The creation time.
    pub created: Option<Timestamp>,
    /// Whether it delegates to other routes, which some implementations support.
    pub delegates: bool,
    /// Whether it only answers an ACME challenge, and is deleted soon.
    pub is_solver: bool,
}

impl GatewayRouteFacts {
    /// Whether it refers to `parent` or to a section of it.
    pub fn refers_to(&self, parent: &ObjectRef) -> bool {
        self.parents.iter().any(|own| own.target == *parent)
    }

    /// Returns the facts of `route`.
    pub fn of(route: &Route<'_, '_>) -> Self {
        let matches: BTreeSet<_> = request::canonical_matches(route).into_iter().map(|matched| matched.key).collect();
        let matches = matches.into_iter().collect();
        Self { matches, services: services(route), ..Self::without_matches(route) }
    }

    /// The references to the Services to which it sends requests.
    pub fn service_refs(&self) -> impl Iterator<Item = ObjectRef> {
        let own = &self.object_ref.namespace;
        let services = self.services.iter();
        services.map(|(namespace, name)| ObjectRef::new(Kind::Service, namespace.as_deref().unwrap_or(own), name))
    }

    /// Returns the facts without `matches` and `services`, which take longest to compute. They contain everything that decides where
    /// the route attaches.
    pub fn without_matches(route: &Route<'_, '_>) -> Self {
        let metadata = route.metadata();
        let parents = route.parent_refs().iter().filter_map(|parent| ParentFacts::of(parent, metadata.namespace()));
        Self {
            object_ref: ObjectRef::new(route.kind(), metadata.namespace(), metadata.name()),
            parents: parents.collect(),
            uses_defaults: route.uses_default_gateways(),
            hosts: route.hostnames().iter().map(|host| Host::parse(host).into_owned()).collect(),
            matches: Box::default(),
            services: Box::default(),
            created: metadata.created(),
            delegates: route.rules().any(|rule| rule.backend_refs.iter().any(BackendRef::is_delegation)),
            is_solver: is_solver_route(route),
        }
    }
}

/// The Services among the backends of a route.
fn services(route: &Route<'_, '_>) -> Box<[ServiceName]> {
    let (parts, own) = (RouteParts::of(*route), route.metadata().namespace());
    let backends = parts.backends().iter().map(|site| site.backend);
    let services = backends.filter(|backend| backend.is_service() && !backend.name.is_empty()).map(|backend| {
        let namespace = Some(backend.namespace_from(own)).filter(|namespace| *namespace != own);
        (namespace.map(Box::from), Box::from(&*backend.name))
    });
    services.collect::<BTreeSet<_>>().into_iter().collect()
}
