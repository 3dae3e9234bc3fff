//! The facts of each object: small and owned. One function per kind builds them from the view type.

use std::cell::OnceCell;
use std::sync::Arc;

use hashbrown::HashSet;
use jiff::Timestamp;

use super::added_hosts::AnnotationHosts;
use super::delegation_facts::{CertificateFacts, DelegationFacts};
use super::gateway_facts::{GatewayClassFacts, GatewayRouteFacts, GrantFacts, ListenersFacts, PolicyFacts};
use super::host_claims::HostClaimFacts;
use super::host_requests::HostRequestFacts;
use super::ingress_services::IngressServices;
use super::issued_certificates::IssuedCertificateFacts;
use super::namespace_facts::NamespaceFacts;
pub use super::service_facts::ServiceFacts;
use super::service_facts::of_service;
use crate::kinds::size::MAX_ENTRIES;
use crate::kinds::{Ingress, IngressClass, Kind, Namespace, Object, ObjectRef, Route};
use crate::matching::controller::ControllerTraits;
use crate::matching::path_interpretation::{ChosenFor, NotatedPath, PathNotation};
use crate::matching::{DataPlaneHints, Host, Mark, NginxLocations, PathType, host::Form, route};

/// The facts of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Facts {
    /// Facts of an Ingress.
    Ingress(IngressFacts),
    /// Facts of an IngressClass.
    IngressClass(IngressClassFacts),
    /// Facts of a Service.
    Service(ServiceFacts),
    /// Facts of a Namespace.
    Namespace(NamespaceFacts),
    /// Facts of a GatewayClass.
    GatewayClass(GatewayClassFacts),
    /// Facts of a Gateway or a ListenerSet.
    Listeners(ListenersFacts),
    /// Facts of a route of the Gateway API.
    GatewayRoute(GatewayRouteFacts),
    /// Facts of a ReferenceGrant.
    ReferenceGrant(GrantFacts),
    /// Facts of a BackendTLSPolicy.
    BackendTlsPolicy(PolicyFacts),
    /// Facts of an IngressRoute or an HTTPProxy.
    Delegation(Box<DelegationFacts>),
    /// Facts of a TLSCertificateDelegation.
    Certificates(CertificateFacts),
    /// Facts of a HostClaim.
    HostClaim(HostClaimFacts),
    /// Facts of a HostRequest.
    HostRequest(HostRequestFacts),
    /// Facts of a Certificate.
    IssuedCertificate(IssuedCertificateFacts),
}

impl Facts {
    /// Returns the facts of `object`.
    pub fn of(object: &Object<'_>) -> Self {
        match object {
            Object::Ingress(ingress) => Self::Ingress(of_ingress(ingress)),
            Object::IngressClass(class) => Self::IngressClass(of_class(class)),
            Object::Service(service) => Self::Service(of_service(service)),
            Object::Namespace(namespace) => Self::Namespace(of_namespace(namespace)),
            Object::GatewayClass(class) => Self::GatewayClass(GatewayClassFacts::of(class)),
            Object::Gateway(gateway) => Self::Listeners(ListenersFacts::of_gateway(gateway)),
            Object::ListenerSet(set) => Self::Listeners(ListenersFacts::of_set(set)),
            Object::HttpRoute(route) => Self::GatewayRoute(GatewayRouteFacts::of(&Route::Http(route))),
            Object::GrpcRoute(route) => Self::GatewayRoute(GatewayRouteFacts::of(&Route::Grpc(route))),
            Object::TlsRoute(route) | Object::TcpRoute(route) | Object::UdpRoute(route) => {
                Self::GatewayRoute(GatewayRouteFacts::of(&Route::L4(object.kind(), route)))
            }
            Object::ReferenceGrant(grant) => Self::ReferenceGrant(GrantFacts::of(grant)),
            Object::BackendTlsPolicy(policy) => Self::BackendTlsPolicy(PolicyFacts::of(policy)),
            Object::IngressRoute(route) => Self::Delegation(Box::new(DelegationFacts::of_ingress_route(route))),
            Object::HttpProxy(proxy) => Self::Delegation(Box::new(DelegationFacts::of_http_proxy(proxy))),
            Object::TlsCertificateDelegation(delegated) | Object::ProxyCertificateDelegation(delegated) => {
                Self::Certificates(CertificateFacts::of(object.kind(), delegated))
            }
            Object::HostClaim(claim) => Self::HostClaim(HostClaimFacts::of(claim)),
            Object::HostRequest(request) => Self::HostRequest(HostRequestFacts::of(request)),
            Object::Certificate(certificate) => Self::IssuedCertificate(IssuedCertificateFacts::of(certificate)),
        }
    }

    /// Returns the facts of the object at `object_ref` if `json` cannot be decoded. For an IngressRoute, which has a
    /// status, they say that it exists and is invalid. For other kinds there are none, so that the absence of further
    /// objects of the kind is not known.
    pub fn of_unreadable(object_ref: &ObjectRef, json: &str) -> Option<Self> {
        match object_ref.kind {
            Kind::IngressRoute => Some(Self::Delegation(Box::new(DelegationFacts::of_unreadable(object_ref, json)))),
            _ => None,
        }
    }

    /// Whether the object could not be decoded.
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Delegation(facts) if facts.is_unreadable())
    }

    /// The reference to the object.
    pub fn object_ref(&self) -> ObjectRef {
        match self {
            Self::Ingress(facts) => facts.object_ref.clone(),
            Self::IngressClass(facts) => ObjectRef::new(Kind::IngressClass, "", &facts.name),
            Self::Service(facts) => facts.object_ref(),
            Self::Namespace(facts) => ObjectRef::new(Kind::Namespace, "", &facts.name),
            Self::GatewayClass(facts) => facts.object_ref(),
            Self::Listeners(facts) => facts.object_ref.clone(),
            Self::GatewayRoute(facts) => facts.object_ref.clone(),
            Self::ReferenceGrant(facts) => facts.object_ref.clone(),
            Self::BackendTlsPolicy(facts) => facts.object_ref.clone(),
            Self::Delegation(facts) => (*facts.object_ref).clone(),
            Self::Certificates(facts) => facts.object_ref.clone(),
            Self::HostClaim(facts) => facts.object_ref(),
            Self::HostRequest(facts) => facts.object_ref.clone(),
            Self::IssuedCertificate(facts) => facts.object_ref.clone(),
        }
    }

    /// When the object was created, if its kind is compared by age.
    pub fn created(&self) -> Option<Timestamp> {
        match self {
            Self::Ingress(facts) => facts.created,
            Self::IngressClass(facts) => facts.created,
            Self::GatewayClass(facts) => facts.created,
            Self::Listeners(facts) => facts.created,
            Self::GatewayRoute(facts) => facts.created,
            Self::BackendTlsPolicy(facts) => facts.created,
            Self::Delegation(facts) => facts.created,
            Self::HostClaim(facts) => facts.created,
            Self::HostRequest(facts) => facts.created,
            Self::Service(_)
            | Self::Namespace(_)
            | Self::ReferenceGrant(_)
            | Self::Certificates(_)
            | Self::IssuedCertificate(_) => None,
        }
    }

    /// The number of entries that the indexes of the view may hold for the object: hosts, paths, listeners,
    /// delegations, references.
    pub fn entries(&self) -> usize {
        match self {
            Self::Ingress(facts) => {
                facts.routes.len() + facts.added.iter().map(|added| added.hosts().count()).sum::<usize>()
            }
            Self::IngressClass(_)
            | Self::Namespace(_)
            | Self::GatewayClass(_)
            | Self::HostClaim(_)
            | Self::HostRequest(_)
            | Self::IssuedCertificate(_) => 0,
            Self::Service(facts) => facts.ports.len(),
            Self::Listeners(facts) => facts.listeners.len(),
            Self::GatewayRoute(facts) => {
                facts.parents.len() * facts.hosts.len().max(1) + facts.matches.len() + facts.services.len()
            }
            Self::ReferenceGrant(facts) => facts.from.len() + facts.to.len(),
            Self::BackendTlsPolicy(facts) => facts.targets.len(),
            Self::Delegation(facts) => facts.edges.len() + facts.serves.len() + facts.uses.len(),
            Self::Certificates(facts) => facts.delegated.len(),
        }
    }

    /// Returns the facts with this name, for an object whose name the API server has not generated yet.
    pub fn named(mut self, name: &str) -> Self {
        match &mut self {
            Self::Ingress(facts) => facts.object_ref.name = name.to_owned(),
            Self::IngressClass(facts) => facts.name = name.into(),
            Self::Service(facts) => facts.name = name.into(),
            Self::Namespace(facts) => facts.name = name.into(),
            Self::GatewayClass(facts) => facts.name = name.into(),
            Self::Listeners(facts) => facts.object_ref.name = name.to_owned(),
            Self::GatewayRoute(facts) => facts.object_ref.name = name.to_owned(),
            Self::ReferenceGrant(facts) => facts.object_ref.name = name.to_owned(),
            Self::BackendTlsPolicy(facts) => facts.object_ref.name = name.to_owned(),
            Self::Delegation(facts) => Arc::make_mut(&mut facts.object_ref).name = name.to_owned(),
            Self::Certificates(facts) => facts.object_ref.name = name.to_owned(),
            Self::HostClaim(facts) => *facts = facts.clone().named(name),
            Self::HostRequest(facts) => facts.object_ref.name = name.to_owned(),
            Self::IssuedCertificate(facts) => facts.object_ref.name = name.to_owned(),
        }
        self
    }
}

/// The facts of an Ingress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngressFacts {
    /// The reference to the object.
    pub object_ref: ObjectRef,
    /// The class that serves it.
    pub class: Option<Arc<str>>,
    /// Further classes that may serve it, since controllers disagree on which of annotation and field counts.
    pub further_classes: Box<[Arc<str>]>,
    /// Whether an annotation names a class. A controller may know a class by this name without an IngressClass.
    pub has_annotated_class: bool,
    /// Whether the last class is the default class, because the file that contains the object names none.
    pub is_of_default_class: bool,
    /// Whether a controller has published an address for it.
    pub has_address: bool,
    /// Whether it has certificates in `spec.tls`.
    pub has_tls: bool,
    /// Hints about its data plane in its annotations.
    pub hints: Option<Box<DataPlaneHints>>,
    /// The mark that allows it to share a host and path with another Ingress of its namespace.
    pub mark: Mark,
    /// Its hosts and paths. The last entry represents the default backend, if there is one.
    pub routes: Box<[RouteFacts]>,
    /// The Services to which it sends requests.
    pub services: IngressServices,
    /// What ingress-nginx may make of it.
    pub nginx: NginxLocations,
    /// The hosts that its annotations add to those of its rules.
    pub added: Box<[AnnotationHosts]>,
    /// The creation time.
    pub created: Option<Timestamp>,
}

impl IngressFacts {
    /// The classes that may serve it; a single `None` if it names no class.
    pub fn classes(&self) -> impl Iterator<Item = Option<&str>> + Clone {
        let further = self.further_classes.iter().map(|class| Some(&**class));
        std::iter::once(self.class.as_deref()).chain(further)
    }

    /// The hosts of its rules, once for each path, and those that annotations add.
    pub(super) fn hosts(&self) -> impl Iterator<Item = Host<'_>> {
        let added = self.added.iter().flat_map(AnnotationHosts::hosts).map(|(_, host)| Host::parse(host));
        self.routes.iter().map(RouteFacts::host).chain(added)
    }

    /// The default class, if the file that contains the object names no class.
    pub fn default_class(&self) -> Option<&str> {
        self.classes().last().flatten().filter(|_| self.is_of_default_class)
    }
}

/// One host and path of an Ingress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouteFacts {
    /// The form of the host.
    pub form: Form,
    /// The host without `*.`.
    pub host: Arc<str>,
    /// How the path matches.
    pub kind: PathType,
    /// The notation of the path.
    pub notation: PathNotation,
    /// The path in canonical form.
    pub path: Box<str>,
}

impl RouteFacts {
    /// The host.
    pub fn host(&self) -> Host<'_> {
        Host::from_parts(self.form, &self.host)
    }

    /// The path with its notation.
    pub fn notated(&self) -> NotatedPath<'_> {
        NotatedPath { kind: self.kind, text: &self.path, notation: self.notation }
    }
}

fn of_ingress(ingress: &Ingress<'_>) -> IngressFacts {
    let metadata = &ingress.metadata;
    let mut classes = ingress.classes().iter().flatten().map(Arc::from);
    let mut routes: Vec<RouteFacts> = Vec::new();
    let (mut hosts, mut seen): (HashSet<(Form, Arc<str>)>, HashSet<_>) = Default::default();
    let chosen_for = OnceCell::new();
    for route in route::of_ingress(ingress) {
        let (Some(path), (form, name)) = (&route.path, route.host.parts()) else { continue };
        // A repeated claim counts once.
        if !seen.insert((form, name.to_owned(), path.kind, route.written)) {
            continue;
        }
        // Consecutive routes mostly have the same host and share its text.
        let last = routes.last().filter(|last| (last.form, &*last.host) == (form, name));
        let host = last.map_or_else(|| Arc::from(name), |last| Arc::clone(&last.host));
        // Beyond `MAX_ENTRIES`, only one path per further host is kept, so that all hosts are known.
        if routes.len() < MAX_ENTRIES || hosts.insert((form, Arc::clone(&host))) {
            let notation = route.notation(|| *chosen_for.get_or_init(|| ChosenFor::of(ingress)));
            routes.push(RouteFacts { form, host, kind: path.kind, notation, path: path.text.as_ref().into() });
        }
    }
    if ingress.spec.default_backend.is_some() {
        let NotatedPath { kind, text, notation } = NotatedPath::DEFAULT_BACKEND;
        let (form, host) = Host::Any.parts();
        routes.push(RouteFacts { form, host: host.into(), kind, notation, path: text.into() });
    }
    IngressFacts {
        object_ref: ObjectRef::new(Kind::Ingress, metadata.namespace(), metadata.name()),
        class: classes.next(),
        further_classes: classes.collect(),
        has_annotated_class: ingress.class_annotation().is_some(),
        is_of_default_class: ingress.default_class.is_some(),
        has_address: !ingress.status.load_balancer.ingress.is_empty(),
        has_tls: !ingress.spec.tls.is_empty(),
        hints: DataPlaneHints::of(ingress),
        mark: Mark::of_ingress(ingress),
        routes: routes.into(),
        services: IngressServices::of(ingress),
        nginx: NginxLocations::of(ingress),
        added: AnnotationHosts::all(ingress),
        created: metadata.created(),
    }
}

/// The facts of an IngressClass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IngressClassFacts {
    /// The name.
    pub name: Box<str>,
    /// The controller that serves it.
    pub controller: Box<str>,
    /// The position of the controller in the table of controllers, if it is known.
    profile: Option<u8>,
    /// Whether it refers to parameters of its controller.
    pub has_parameters: bool,
    /// Whether it is marked as the default.
    pub default: bool,
    /// The creation time.
    pub created: Option<Timestamp>,
}

impl IngressClassFacts {
    /// The reference to the class.
    pub fn object_ref(&self) -> ObjectRef {
        ObjectRef::new(Kind::IngressClass, "", &self.name)
    }

    /// The traits of the controller, if it is known.
    pub fn traits(&self) -> Option<&'static ControllerTraits> {
        self.profile.map(ControllerTraits::at)
    }
}

fn of_class(class: &IngressClass<'_>) -> IngressClassFacts {
    IngressClassFacts {
        name: class.metadata.name().into(),
        controller: (*class.spec.controller).into(),
        profile: ControllerTraits::named(&class.spec.controller).and_then(ControllerTraits::position),
        has_parameters: class.spec.parameters.is_some(),
        default: class.is_default(),
        created: class.metadata.created(),
    }
}

fn of_namespace(namespace: &Namespace<'_>) -> NamespaceFacts {
    let labels = namespace.metadata.labels.iter().map(|(key, value)| (key.into(), value.into()));
    NamespaceFacts::new(namespace.metadata.name(), labels)
}
