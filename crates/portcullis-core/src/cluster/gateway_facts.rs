//! What is kept of each object of the Gateway API.

use std::collections::BTreeSet;

use jiff::Timestamp;

pub use super::from_facts::{From, SelectorFacts};
pub use super::grant_facts::{GrantFacts, PolicyFacts};
use crate::kinds::filter::BackendRef;
use crate::kinds::gateway_class::{DEFAULT_ANNOTATION, ROUTABILITY_CHANGE_ANNOTATION};
use crate::kinds::listener::{self, AllowedRoutes};
use crate::kinds::reference::GATEWAY_GROUP;
use crate::kinds::reference::ParentRef;
use crate::kinds::{Gateway, GatewayClass, Kind, Listener, ListenerSet, ObjectRef, Route};
use crate::matching::{Host, request};

/// What is kept of a GatewayClass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayClassFacts {
    /// Its name.
    pub name: Box<str>,
    /// The controller that serves it.
    pub controller: Box<str>,
    /// The keys of its annotations whose value is `true`: one of them may make it the default.
    pub marks: Box<[Box<str>]>,
    /// The routabilities that it offers, in order, as written; `None` where it does not say.
    pub routabilities: Option<Box<[Box<str>]>>,
    /// Whether a Gateway's routability may change after its creation.
    pub routability_changes: bool,
    /// Whether its Gateways run inside the cluster.
    pub in_cluster: bool,
    /// When it was created.
    pub created: Option<Timestamp>,
}

impl GatewayClassFacts {
    /// What is kept of `class`.
    pub fn of(class: &GatewayClass<'_>) -> Self {
        let annotations = &class.metadata.annotations;
        let marks = annotations.iter().filter(|(_, value)| *value == "true").map(|(key, _)| Box::from(key));
        Self {
            name: class.metadata.name().into(),
            controller: class.spec.controller_name.as_deref().unwrap_or_default().into(),
            marks: marks.collect(),
            routabilities: class.routabilities().map(|entries| entries.map(Box::from).collect()),
            routability_changes: annotations
                .get(ROUTABILITY_CHANGE_ANNOTATION)
                .is_some_and(|value| &**value == "Allowed"),
            in_cluster: class.is_in_cluster(),
            created: class.metadata.created(),
        }
    }

    /// Its place.
    pub fn object_ref(&self) -> ObjectRef {
        ObjectRef::new(Kind::GatewayClass, "", &self.name)
    }

    /// Whether our annotation, or one of `keys` beside it, makes it the default.
    pub fn is_default(&self, keys: &[impl AsRef<str>]) -> bool {
        self.marks.iter().any(|mark| &**mark == DEFAULT_ANNOTATION || keys.iter().any(|key| *key.as_ref() == **mark))
    }
}

/// What is kept of an object with listeners: a Gateway or a ListenerSet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenersFacts {
    /// Its place.
    pub object_ref: ObjectRef,
    /// The class, of a Gateway.
    pub class: Box<str>,
    /// The Gateway that a ListenerSet adds to.
    pub parent: Option<ObjectRef>,
    /// The listeners, in document order.
    pub listeners: Box<[ListenerFacts]>,
    /// Which ListenerSets may add to a Gateway.
    pub allowed_listeners: From,
    /// Whether a Gateway takes routes that ask for the default ones.
    pub is_default: bool,
    /// When it was created.
    pub created: Option<Timestamp>,
}

impl ListenersFacts {
    /// What is kept of `gateway`.
    pub fn of_gateway(gateway: &Gateway<'_>) -> Self {
        Self {
            object_ref: ObjectRef::new(Kind::Gateway, gateway.metadata.namespace(), gateway.metadata.name()),
            class: gateway.class().into(),
            parent: None,
            listeners: gateway.spec.listeners.iter().map(ListenerFacts::of).collect(),
            allowed_listeners: gateway.allowed_listeners().map_or(From::None, |from| From::of(from, From::None)),
            is_default: gateway.spec.default_scope.as_deref() == Some("All"),
            created: gateway.metadata.created(),
        }
    }

    /// What is kept of `set`.
    pub fn of_set(set: &ListenerSet<'_>) -> Self {
        let namespace = set.metadata.namespace();
        Self {
            object_ref: ObjectRef::new(Kind::ListenerSet, namespace, set.metadata.name()),
            class: Box::default(),
            parent: ParentFacts::of(&set.spec.parent_ref, namespace).map(|parent| parent.target),
            listeners: set.spec.listeners.iter().map(ListenerFacts::of).collect(),
            allowed_listeners: From::None,
            is_default: false,
            created: set.metadata.created(),
        }
    }
}

/// What is kept of one listener.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenerFacts {
    /// Its name.
    pub name: Box<str>,
    /// The host that it answers.
    pub host: Host<'static>,
    /// The port that it listens on.
    pub port: Option<i64>,
    /// The protocol, as written.
    pub protocol: Box<str>,
    /// Whether TLS goes through it to the backend.
    pub passthrough: bool,
    /// The namespaces whose routes may attach.
    pub from: From,
    /// The kinds that may attach, as group and kind; none for those that the protocol allows.
    pub kinds: Box<[(Box<str>, Box<str>)]>,
}

impl ListenerFacts {
    /// What is kept of `listener`.
    pub fn of(listener: &Listener<'_>) -> Self {
        let allowed = listener.allowed_routes.as_ref();
        let namespaces = allowed.and_then(|allowed| allowed.namespaces.as_ref());
        Self {
            name: (*listener.name).into(),
            host: Host::parse(listener.hostname()).into_owned(),
            port: listener.port,
            protocol: (*listener.protocol).into(),
            passthrough: listener.tls.as_ref().is_some_and(|tls| tls.mode() == "Passthrough"),
            from: namespaces.map_or(From::Same, |from| From::of(from, From::Same)),
            kinds: allowed.map(kinds).unwrap_or_default(),
        }
    }

    /// Whether its protocol tells hosts apart.
    pub fn has_host(&self) -> bool {
        listener::has_host(&self.protocol)
    }
}

fn kinds(allowed: &AllowedRoutes<'_>) -> Box<[(Box<str>, Box<str>)]> {
    let named = allowed.kinds.iter().map(|kind| {
        let group = kind.group.as_deref().unwrap_or(GATEWAY_GROUP);
        (Box::from(group), Box::from(&*kind.kind))
    });
    named.collect()
}

/// What a route attaches to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParentFacts {
    /// The Gateway or ListenerSet.
    pub target: ObjectRef,
    /// The listener.
    pub section: Option<Box<str>>,
    /// The port of the listeners.
    pub port: Option<i64>,
}

impl ParentFacts {
    /// What `parent` means in an object of `namespace`, if it is of a kind with listeners.
    pub fn of(parent: &ParentRef<'_>, namespace: &str) -> Option<Self> {
        let target = ObjectRef::new(parent.known()?, parent.namespace_from(namespace), &parent.name);
        Some(Self { target, section: parent.section().map(Box::from), port: parent.port })
    }
}

/// What stands for the default Gateways, whichever they are, among those to which routes attach.
pub static DEFAULT_GATEWAYS: ObjectRef =
    ObjectRef { kind: Kind::Gateway, namespace: String::new(), name: String::new() };

/// What is kept of a route of the Gateway API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayRouteFacts {
    /// Its place.
    pub object_ref: ObjectRef,
    /// The parents that have listeners.
    pub parents: Box<[ParentFacts]>,
    /// Whether it attaches to the default Gateways, too (GEP-3793).
    pub uses_defaults: bool,
    /// The hosts that it names; none for those of its listeners.
    pub hosts: Box<[Host<'static>]>,
    /// What its matches ask for, in canonical form, in order and each once.
    pub matches: Box<[Box<str>]>,
    /// When it was created.
    pub created: Option<Timestamp>,
    /// Whether it leads to other routes, as some implementations have it.
    pub delegates: bool,
}

impl GatewayRouteFacts {
    /// Whether it refers to `parent` or to a section of it.
    pub fn refers_to(&self, parent: &ObjectRef) -> bool {
        self.parents.iter().any(|own| own.target == *parent)
    }

    /// What is kept of `route`.
    pub fn of(route: &Route<'_, '_>) -> Self {
        let matches: BTreeSet<_> = request::asked(route).into_iter().map(|asked| asked.key).collect();
        Self { matches: matches.into_iter().collect(), ..Self::without_matches(route) }
    }

    /// The same but for `matches`, which take longest: all that decides where the route attaches.
    pub fn without_matches(route: &Route<'_, '_>) -> Self {
        let metadata = route.metadata();
        let parents = route.parent_refs().iter().filter_map(|parent| ParentFacts::of(parent, metadata.namespace()));
        Self {
            object_ref: ObjectRef::new(route.kind(), metadata.namespace(), metadata.name()),
            parents: parents.collect(),
            uses_defaults: route.use_default_gateways() == Some("All"),
            hosts: route.hostnames().iter().map(|host| Host::parse(host).into_owned()).collect(),
            matches: Box::default(),
            created: metadata.created(),
            delegates: route.rules().any(|rule| rule.backend_refs.iter().any(BackendRef::is_delegation)),
        }
    }
}
