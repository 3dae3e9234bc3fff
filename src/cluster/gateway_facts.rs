//! What is kept of each object of the Gateway API.

use std::collections::BTreeSet;

use jiff::Timestamp;

use super::NamespaceFacts;
use crate::kinds::gateway_class::{DEFAULT_ANNOTATION, ROUTABILITY_CHANGE_ANNOTATION};
use crate::kinds::label_selector::{LabelSelector, Requirement};
use crate::kinds::listener::{self, AllowedRoutes, FromNamespaces};
use crate::kinds::reference::GATEWAY_GROUP;
use crate::kinds::reference::ParentRef;
use crate::kinds::{Gateway, GatewayClass, Kind, Listener, ListenerSet, Metadata, ObjectRef, Route};
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
            created: created(&class.metadata),
        }
    }

    /// Its place.
    pub fn place(&self) -> ObjectRef {
        ObjectRef::new(Kind::GatewayClass, "", &self.name)
    }

    /// Whether our annotation, or one of `keys` beside it, makes it the default.
    pub fn is_default(&self, keys: &[impl AsRef<str>]) -> bool {
        self.marks.iter().any(|mark| &**mark == DEFAULT_ANNOTATION || keys.iter().any(|key| *key.as_ref() == **mark))
    }
}

pub(super) fn created(metadata: &Metadata<'_>) -> Option<Timestamp> {
    metadata.creation_timestamp.as_deref().and_then(|time| time.parse().ok())
}

/// What is kept of an object with listeners: a Gateway or a ListenerSet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListenersFacts {
    /// Its place.
    pub place: ObjectRef,
    /// The class, of a Gateway.
    pub class: Box<str>,
    /// The Gateway that a ListenerSet adds to.
    pub parent: Option<ObjectRef>,
    /// The listeners, in document order.
    pub listeners: Box<[ListenerFacts]>,
    /// Which ListenerSets may add to a Gateway.
    pub allowed_listeners: From,
    /// When it was created.
    pub created: Option<Timestamp>,
}

impl ListenersFacts {
    /// What is kept of `gateway`.
    pub fn of_gateway(gateway: &Gateway<'_>) -> Self {
        Self {
            place: ObjectRef::new(Kind::Gateway, gateway.metadata.namespace(), gateway.metadata.name()),
            class: gateway.class().into(),
            parent: None,
            listeners: gateway.spec.listeners.iter().map(ListenerFacts::of).collect(),
            allowed_listeners: gateway.allowed_listeners().map_or(From::None, |from| From::of(from, From::None)),
            created: created(&gateway.metadata),
        }
    }

    /// What is kept of `set`.
    pub fn of_set(set: &ListenerSet<'_>) -> Self {
        let namespace = set.metadata.namespace();
        Self {
            place: ObjectRef::new(Kind::ListenerSet, namespace, set.metadata.name()),
            class: Box::default(),
            parent: ParentFacts::of(&set.spec.parent_ref, namespace).map(|parent| parent.target),
            listeners: set.spec.listeners.iter().map(ListenerFacts::of).collect(),
            allowed_listeners: From::None,
            created: created(&set.metadata),
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

/// From which namespaces something may attach.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum From {
    /// From none.
    None,
    /// From the object's own.
    Same,
    /// From every one.
    All,
    /// From those with these labels; an invalid selector selects none.
    Selector(SelectorFacts),
    /// Written in a way that nobody here knows.
    Unknown,
}

impl From {
    /// What is written, or `default` where nothing is.
    fn of(namespaces: &FromNamespaces<'_>, default: Self) -> Self {
        match namespaces.from.as_deref() {
            None => default,
            Some("None") => Self::None,
            Some("Same") => Self::Same,
            Some("All") => Self::All,
            Some("Selector") => Self::Selector(namespaces.selector.as_ref().map(SelectorFacts::of).unwrap_or_default()),
            Some(_) => Self::Unknown,
        }
    }
}

/// The label that the API server gives each namespace: its name.
const NAME_LABEL: &str = "kubernetes.io/metadata.name";

/// A label selector as the Kubernetes API has them: one without requirements selects everything, one that is absent or invalid nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SelectorFacts {
    /// Each requirement, or `None` where there is no valid selector.
    requirements: Option<Box<[Needed]>>,
}

/// One requirement on the labels of a namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Needed {
    In(Box<str>, Box<[Box<str>]>),
    NotIn(Box<str>, Box<[Box<str>]>),
    Exists(Box<str>),
    DoesNotExist(Box<str>),
}

impl SelectorFacts {
    fn of(selector: &LabelSelector<'_>) -> Self {
        let labels =
            selector.match_labels.iter().map(|(key, value)| Some(Needed::In(key.into(), [value.into()].into())));
        let expressions = selector.match_expressions.iter().map(Needed::of);
        Self { requirements: labels.chain(expressions).collect() }
    }

    /// Whether it selects the namespace `name` with these labels; `None` where that hangs on labels that are not known.
    pub fn selects(&self, name: &str, known: Option<&NamespaceFacts>) -> Option<bool> {
        let Some(requirements) = &self.requirements else { return Some(false) };
        let holds = |needed: &Needed| match needed.key() {
            NAME_LABEL => Some(needed.holds(Some(name))),
            key => known.map(|namespace| needed.holds(namespace.label(key))),
        };
        let mut answers = requirements.iter().map(holds);
        // One that does not hold decides, whatever the others need to know.
        answers
            .try_fold(Some(true), |so_far, holds| match holds {
                Some(false) => Err(()),
                Some(true) => Ok(so_far),
                None => Ok(None),
            })
            .unwrap_or(Some(false))
    }
}

impl Needed {
    fn key(&self) -> &str {
        match self {
            Self::In(key, _) | Self::NotIn(key, _) | Self::Exists(key) | Self::DoesNotExist(key) => key,
        }
    }

    /// Whether a namespace with this value of the label, or without the label, is one of those that are needed.
    fn holds(&self, own: Option<&str>) -> bool {
        let is_among = |values: &[Box<str>]| own.is_some_and(|own| values.iter().any(|value| **value == *own));
        match self {
            Self::In(_, values) => is_among(values),
            Self::NotIn(_, values) => !is_among(values),
            Self::Exists(_) => own.is_some(),
            Self::DoesNotExist(_) => own.is_none(),
        }
    }

    fn of(requirement: &Requirement<'_>) -> Option<Self> {
        let key = Box::from(&*requirement.key);
        let values: Box<[Box<str>]> = requirement.values.iter().map(|value| Box::from(&**value)).collect();
        match (&*requirement.operator, values.is_empty()) {
            ("In", false) => Some(Self::In(key, values)),
            ("NotIn", false) => Some(Self::NotIn(key, values)),
            ("Exists", true) => Some(Self::Exists(key)),
            ("DoesNotExist", true) => Some(Self::DoesNotExist(key)),
            _ => None,
        }
    }
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

/// What is kept of a route of the Gateway API.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayRouteFacts {
    /// Its place.
    pub place: ObjectRef,
    /// The parents that have listeners.
    pub parents: Box<[ParentFacts]>,
    /// The hosts that it names; none for those of its listeners.
    pub hosts: Box<[Host<'static>]>,
    /// What its matches ask for, in canonical form, in order and each once.
    pub matches: Box<[Box<str>]>,
    /// When it was created.
    pub created: Option<Timestamp>,
}

impl GatewayRouteFacts {
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
            place: ObjectRef::new(route.kind(), metadata.namespace(), metadata.name()),
            parents: parents.collect(),
            hosts: route.hostnames().iter().map(|host| Host::parse(host).into_owned()).collect(),
            matches: Box::default(),
            created: created(metadata),
        }
    }
}

pub use super::grant_facts::{GrantFacts, PolicyFacts};
