//! The facts that the view keeps of IngressRoutes and HTTPProxies, which form trees whose root owns a host, and of
//! delegated certificates.

use std::sync::Arc;

use hashbrown::HashMap;
use jiff::Timestamp;
use serde_json::Value;

use super::header_facts::ProxyHeaders;
use super::service_uses::{ServiceUse, ServiceUses};
use crate::kinds::http_proxy::{Include, MatchCondition, Traffic};
use crate::kinds::ingress_route::{PathRoute, WeightedService};
use crate::kinds::size::{MAX_ENTRIES, MAX_INCLUDES};
use crate::kinds::{
    DecodeError, Entries, Generation, HttpProxy, IngressRoute, Kind, Metadata, ObjectRef, Text,
    TlsCertificateDelegation, walk,
};
use crate::matching::Host;
use crate::validation::{ObjectError, ingress_route};

/// The facts of an IngressRoute or an HTTPProxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelegationFacts {
    /// The reference to the object, including its kind. All facts and indexes that point to the object share it.
    pub object_ref: Arc<ObjectRef>,
    /// The class that serves the object; `None` for the default class.
    pub class: Option<Arc<str>>,
    /// The host that the object owns if it is a root; `Host::Any` if the host name is blank.
    pub root: Option<Host<'static>>,
    /// The delegations or includes, in document order.
    pub edges: Box<[EdgeFacts]>,
    /// Whether the object has more entries than are kept, so that some delegations may be missing.
    pub is_truncated: bool,
    /// The object to which `tcpproxy` delegates whole connections.
    pub tcp: Option<Arc<ObjectRef>>,
    /// The prefixes that the object serves itself, in document order. For an HTTPProxy, these are the paths of the
    /// conditions of its routes.
    pub serves: Box<[Box<str>]>,
    /// The Services that an IngressRoute uses.
    pub uses: ServiceUses,
    /// The value of the annotation that lists the objects that may delegate to this one; `None` if every object may.
    pub consent: Option<Box<str>>,
    /// The creation time.
    pub created: Option<Timestamp>,
    /// `metadata.generation`, which counts the changes of `spec`.
    pub generation: Option<i64>,
    /// The facts that only an IngressRoute has.
    pub own: Option<Box<IngressRouteExtras>>,
    /// The header conditions of an HTTPProxy, if it has any.
    pub headers: Option<Box<ProxyHeaders>>,
}

/// The facts of an IngressRoute beyond its host and its delegations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct IngressRouteExtras {
    /// The error that makes the object invalid by itself.
    pub error: Option<ObjectError>,
    /// Namespace and name of the Secret with its certificate, if the Secret is in another namespace.
    pub delegated: Option<(Box<str>, Box<str>)>,
    /// The Secret with its certificate, if the Secret is in its own namespace.
    pub secret: Option<Box<str>>,
    /// Whether it uses `tcpproxy` or TLS passthrough.
    pub is_tcp: bool,
}

/// The annotation that lists the objects that may delegate to an object: `namespace/name`, separated by commas, where a
/// trailing `*` matches any suffix.
pub const CONSENT_ANNOTATION: &str = "portcullis.dev/delegate-from";

/// One delegation or one include.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EdgeFacts {
    /// The index in `spec.routes` or in `spec.includes`.
    pub index: usize,
    /// The delegated prefix.
    pub prefix: Box<str>,
    /// The object to which the prefix is delegated.
    pub target: Arc<ObjectRef>,
}

impl DelegationFacts {
    /// Whether the object could not be decoded, so that its content, including a host, is unknown.
    pub fn is_unreadable(&self) -> bool {
        self.own.as_deref().and_then(|own| own.error.as_ref()).is_some_and(|error| error.rule.is_none())
    }

    /// Whether `class` serves the object. Objects of different classes do not interact.
    pub fn is_of(&self, class: Option<&str>) -> bool {
        self.class.as_deref() == class
    }

    /// Every object that it delegates to or includes, for requests and for connections.
    pub fn targets(&self) -> impl Iterator<Item = &ObjectRef> {
        self.shared_targets().map(|target| &**target)
    }

    /// The targets as shared references, for indexes that keep them.
    pub(super) fn shared_targets(&self) -> impl Iterator<Item = &Arc<ObjectRef>> {
        self.edges.iter().map(|edge| &edge.target).chain(&self.tcp)
    }

    /// The targets for one type of traffic.
    pub fn targets_of(&self, traffic: Traffic) -> impl Iterator<Item = &ObjectRef> {
        let edges = if traffic == Traffic::Requests { &*self.edges } else { &[] };
        let tcp = self.tcp.as_ref().filter(|_| traffic == Traffic::Connections);
        edges.iter().map(|edge| &edge.target).chain(tcp).map(|target| &**target)
    }

    /// Returns the facts of an IngressRoute.
    pub fn of_ingress_route<'o>(route: &'o IngressRoute<'_>) -> Self {
        let metadata = &route.metadata;
        let mut targets = Targets::of(Kind::IngressRoute);
        let edge = |(index, path): (usize, &'o PathRoute<'_>)| {
            let delegate = path.delegate.as_ref()?;
            let target = targets.at(delegate.namespace_from(metadata.namespace()), &delegate.name);
            Some(EdgeFacts { index, prefix: path.prefix().into(), target })
        };
        let tcp = route.spec.tcpproxy.as_ref().and_then(|tcp| tcp.delegate.as_ref());
        let tcp = tcp.map(|to| ObjectRef::new(Kind::IngressRoute, to.namespace_from(metadata.namespace()), &to.name));
        // A use with a port that no Service can have, or with an unknown strategy, is left out, since a rule reports it as an error of the
        // object.
        let used = |(_, service): (_, &'o WeightedService<'_>)| {
            let (name, port) = (&*service.name, u16::try_from(service.port?).ok()?);
            Some(ServiceUse { name, port, strategy: route.spec.strategy_of(service) })
        };
        let uses = walk::ingress_route::services(route).filter_map(used).take(MAX_ENTRIES);
        let served = route.spec.routes.iter().filter(|path| !path.services().1.is_empty());
        Self {
            object_ref: Arc::new(ObjectRef::new(Kind::IngressRoute, metadata.namespace(), metadata.name())),
            class: route.class().map(Arc::from),
            root: route.spec.virtualhost.as_ref().map(|host| Host::parse(&host.fqdn).into_owned()),
            edges: route.spec.routes.iter().enumerate().filter_map(edge).take(MAX_ENTRIES).collect(),
            is_truncated: route.spec.routes.len() > MAX_ENTRIES,
            tcp: tcp.map(Arc::new),
            serves: served.take(MAX_ENTRIES).map(|path| path.prefix().into()).collect(),
            uses: uses.collect(),
            consent: metadata.annotations.get(CONSENT_ANNOTATION).map(|list| Box::from(&**list)),
            created: metadata.created(),
            generation: metadata.generation.0,
            own: Some(Box::new(IngressRouteExtras::of(route))),
            headers: None,
        }
    }

    /// Returns the facts of the IngressRoute `object_ref` if `json` does not have the shape of one: class and
    /// generation if they are readable, and the error.
    pub(super) fn of_unreadable(object_ref: &ObjectRef, json: &str) -> Self {
        let whole: Value = serde_json::from_str(json).unwrap_or_default();
        let (generation, annotations) = (&whole["metadata"]["generation"], &whole["metadata"]["annotations"]);
        let texts = annotations.as_object().into_iter().flatten();
        let texts = texts.filter_map(|(key, value)| Some((Text::from(key.as_str()), Text::from(value.as_str()?))));
        let annotations = Entries(texts.collect());
        let metadata = Metadata { generation: Generation(generation.as_i64()), annotations, ..Metadata::default() };
        let facts = Self::of_ingress_route(&IngressRoute { metadata, ..IngressRoute::default() });
        let error = Some(ObjectError::from(&DecodeError::of(object_ref.kind, json)));
        let own = Some(Box::new(IngressRouteExtras { error, ..IngressRouteExtras::default() }));
        Self { object_ref: Arc::new(object_ref.clone()), own, ..facts }
    }

    /// Returns the facts of an HTTPProxy.
    pub fn of_http_proxy<'o>(proxy: &'o HttpProxy<'_>) -> Self {
        let metadata = &proxy.metadata;
        let mut targets = Targets::of(Kind::HttpProxy);
        let edge = |(index, include): (usize, &'o Include<'_>)| {
            let target = targets.at(include.namespace_from(metadata.namespace()), &include.name);
            EdgeFacts { index, prefix: path_of(&include.conditions).into(), target }
        };
        let tcp = proxy.spec.tcpproxy.as_ref().and_then(|tcp| tcp.include());
        let tcp = tcp.map(|(_, to)| ObjectRef::new(Kind::HttpProxy, to.namespace_from(metadata.namespace()), &to.name));
        Self {
            object_ref: Arc::new(ObjectRef::new(Kind::HttpProxy, metadata.namespace(), metadata.name())),
            class: proxy.class().map(Arc::from),
            root: proxy.spec.virtualhost.as_ref().map(|host| Host::parse(&host.fqdn).into_owned()),
            edges: proxy.spec.includes.iter().enumerate().take(MAX_INCLUDES).map(edge).collect(),
            is_truncated: proxy.spec.includes.len() > MAX_INCLUDES,
            tcp: tcp.map(Arc::new),
            serves: proxy.spec.routes.iter().take(MAX_ENTRIES).map(|route| path_of(&route.conditions).into()).collect(),
            uses: ServiceUses::default(),
            consent: None,
            created: metadata.created(),
            generation: metadata.generation.0,
            own: None,
            headers: ProxyHeaders::of(proxy),
        }
    }

    /// Replaces unchanged parts by those of the previous facts, which the indexes share.
    pub(super) fn share_with(&mut self, before: Self) {
        self.object_ref = before.object_ref;
        if self.class == before.class {
            self.class = before.class;
        }
        if self.edges == before.edges {
            self.edges = before.edges;
        }
        if self.tcp == before.tcp {
            self.tcp = before.tcp;
        }
    }

    /// The prefixes of all its routes: first those that it serves, then those that it delegates.
    pub fn prefixes(&self) -> impl Iterator<Item = &str> {
        self.serves.iter().map(|prefix| &**prefix).chain(self.edges.iter().map(|edge| &*edge.prefix))
    }

    /// The other namespace that delegates the certificate to it.
    pub(super) fn owner_namespace(&self) -> Option<&str> {
        self.own.as_deref()?.delegated.as_ref().map(|(namespace, _)| &**namespace)
    }
}

impl IngressRouteExtras {
    fn of(route: &IngressRoute<'_>) -> Self {
        let (spec, tcpproxy) = (&route.spec, route.spec.tcpproxy.as_deref());
        let tls = spec.virtualhost.as_ref().and_then(|host| host.tls.as_ref());
        let delegated = tls.and_then(|tls| tls.secret_name.split_once('/'));
        let named = tls.filter(|tls| delegated.is_none() && !tls.passthrough && !tls.secret_name.is_empty());
        Self {
            error: ingress_route::first_error(route).map(ObjectError::from),
            delegated: delegated.map(|(namespace, name)| (namespace.into(), name.into())),
            secret: named.map(|tls| Box::from(&*tls.secret_name)),
            is_tcp: tcpproxy.is_some() || tls.is_some_and(|tls| tls.passthrough),
        }
    }
}

/// The targets of one object. Each distinct target is allocated once, however many references to it exist.
struct Targets<'o> {
    kind: Kind,
    known: HashMap<(&'o str, &'o str), Arc<ObjectRef>>,
}

impl<'o> Targets<'o> {
    fn of(kind: Kind) -> Self {
        Self { kind, known: HashMap::new() }
    }

    fn at(&mut self, namespace: &'o str, name: &'o str) -> Arc<ObjectRef> {
        let new = || Arc::new(ObjectRef::new(self.kind, namespace, name));
        self.known.entry((namespace, name)).or_insert_with(new).clone()
    }
}

/// The first path in the conditions, or `/` if there is none.
fn path_of<'c>(conditions: &'c [MatchCondition<'_>]) -> &'c str {
    conditions.iter().flat_map(MatchCondition::paths).map(|(_, path)| &**path).next().unwrap_or("/")
}

/// The facts of a TLSCertificateDelegation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CertificateFacts {
    /// Whether the object has more entries than are kept, so that some delegated Secrets or namespaces may be missing.
    pub is_truncated: bool,
    /// The reference to the object.
    pub object_ref: ObjectRef,
    /// The Secrets that it delegates.
    pub delegated: Box<[DelegatedSecret]>,
}

/// A delegated Secret and the namespaces whose roots may use it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DelegatedSecret {
    /// The name of the Secret.
    pub secret: Box<str>,
    /// The namespaces; `None` if all namespaces may use it.
    pub to: Option<Box<[Box<str>]>>,
}

impl CertificateFacts {
    /// Returns the facts of `delegation`. `kind` says whether it delegates to IngressRoutes or to HTTPProxies.
    pub fn of(kind: Kind, delegation: &TlsCertificateDelegation<'_>) -> Self {
        let metadata = &delegation.metadata;
        let delegated = delegation.spec.delegations.iter().take(MAX_ENTRIES).map(|delegated| {
            let to = delegated.target_namespaces.iter().take(MAX_ENTRIES).map(|namespace| Box::from(&**namespace));
            DelegatedSecret {
                secret: Box::from(&*delegated.secret_name),
                to: (!delegated.is_for_all()).then(|| to.collect()),
            }
        });
        let object_ref = ObjectRef::new(kind, metadata.namespace(), metadata.name());
        let lists = delegation.spec.delegations.iter().map(|delegated| delegated.target_namespaces.len());
        let is_truncated = lists.chain([delegation.spec.delegations.len()]).any(|length| length > MAX_ENTRIES);
        Self { is_truncated, object_ref, delegated: delegated.collect() }
    }

    /// Whether roots in `namespace` may use `secret`.
    pub fn delegates_certificate(&self, secret: &str, namespace: &str) -> bool {
        let is_among = |to: &[Box<str>]| to.iter().any(|target| **target == *namespace);
        self.delegated
            .iter()
            .any(|delegated| *delegated.secret == *secret && delegated.to.as_deref().is_none_or(is_among))
    }
}
