//! References of the Gateway API: to a parent, to a backend, to any other object.

use serde::Deserialize;

use super::extension;
pub use super::extension::GATEWAY_GROUP;
use super::filter::Filter;
use super::{Kind, Present, Text, integer_or_none, null_is_default, text_or_empty, text_or_none};
use crate::kinds::shape::maps_only;

/// One of `spec.parentRefs` of a route, or `spec.parentRef` of a ListenerSet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct ParentRef<'a> {
    /// The group; absent for the Gateway API's own, empty for the core group.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub group: Option<Text<'a>>,
    /// The kind; absent for Gateway.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// The namespace; absent for the route's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub namespace: Option<Text<'a>>,
    /// The name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// The listener; absent for all of them.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub section_name: Option<Text<'a>>,
    /// The port of the listeners that are meant.
    #[serde(deserialize_with = "integer_or_none")]
    pub port: Option<i64>,
    /// A field of an early draft (GEP-724) that never came to v1.
    pub scope: Present,
}

/// What a parent reference means, without the section and the port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Parent<'r> {
    /// The group.
    pub group: &'r str,
    /// The kind.
    pub kind: &'r str,
    /// The namespace.
    pub namespace: &'r str,
    /// The name.
    pub name: &'r str,
}

impl ParentRef<'_> {
    /// The group that is meant.
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or(GATEWAY_GROUP)
    }

    /// The kind that is meant.
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("Gateway")
    }

    /// The kind, if it is one with listeners.
    pub fn known(&self) -> Option<Kind> {
        match (self.group(), self.kind()) {
            (GATEWAY_GROUP, "Gateway") => Some(Kind::Gateway),
            (GATEWAY_GROUP, "ListenerSet") => Some(Kind::ListenerSet),
            _ => None,
        }
    }

    /// The namespace that is meant by an object in `own`.
    pub fn namespace_from<'r>(&'r self, own: &'r str) -> &'r str {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(own)
    }

    /// What is meant by an object in `own`, without the section and the port.
    pub fn parent_from<'r>(&'r self, own: &'r str) -> Parent<'r> {
        Parent { group: self.group(), kind: self.kind(), namespace: self.namespace_from(own), name: &self.name }
    }

    /// What is meant, as the schema compares it: an absent namespace is none in particular, also not the route's own.
    pub fn written_parent(&self) -> Parent<'_> {
        self.parent_from("")
    }

    /// The port that is meant; 0 counts as none.
    pub fn port(&self) -> Option<i64> {
        self.port.filter(|port| *port != 0)
    }

    /// The section that is meant; an empty one counts as none.
    pub fn section(&self) -> Option<&str> {
        self.section_name.as_deref().filter(|section| !section.is_empty())
    }
}

/// A reference to an object whose default kind depends on the field: a Secret, a ConfigMap, a Service, parameters, an extension.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct TargetRef<'a> {
    /// The group; empty for the core group.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub group: Option<Text<'a>>,
    /// The kind.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// The namespace; absent for the object's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub namespace: Option<Text<'a>>,
    /// The name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// The part of the target that is meant; of policies.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub section_name: Option<Text<'a>>,
}

impl TargetRef<'_> {
    /// The group that is meant where none means the core group.
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or_default()
    }

    /// Whether it names a Service; the group and the kind have no default.
    pub fn is_service(&self) -> bool {
        self.group.as_deref() == Some("") && self.kind.as_deref() == Some("Service") && !self.name.is_empty()
    }

    /// Whether both name the same object, whatever part of it.
    pub fn is_same_object(&self, other: &Self) -> bool {
        (self.group(), self.kind_or(""), &self.name) == (other.group(), other.kind_or(""), &other.name)
    }

    /// The kind that is meant where none means `default`.
    pub fn kind_or<'r>(&'r self, default: &'r str) -> &'r str {
        self.kind.as_deref().unwrap_or(default)
    }

    /// The namespace that is meant by an object in `own`.
    pub fn namespace_from<'r>(&'r self, own: &'r str) -> &'r str {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(own)
    }
}

/// One of `backendRefs`, or the backend of a filter.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(remote = "Self", rename_all = "camelCase", default, expecting = "a map")]
pub struct BackendRef<'a> {
    /// The group; absent or empty for the core group.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub group: Option<Text<'a>>,
    /// The kind; absent for Service.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub kind: Option<Text<'a>>,
    /// The namespace; absent for the route's own.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub namespace: Option<Text<'a>>,
    /// The name.
    #[serde(borrow, deserialize_with = "text_or_empty")]
    pub name: Text<'a>,
    /// The port; required for a Service.
    #[serde(deserialize_with = "integer_or_none")]
    pub port: Option<i64>,
    /// Its share of the requests, relative to the others' weights; absent for 1.
    #[serde(deserialize_with = "integer_or_none")]
    pub weight: Option<i64>,
    /// What is done to its share of the requests; of HTTPRoute and GRPCRoute.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub filters: Vec<Filter<'a>>,
}

impl BackendRef<'_> {
    /// The group that is meant.
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or_default()
    }

    /// The kind that is meant.
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("Service")
    }

    /// Whether both say the same of where they lead, letter by letter.
    pub fn is_same_target(&self, other: &Self) -> bool {
        (&self.name, self.port, &self.namespace, &self.kind, &self.group)
            == (&other.name, other.port, &other.namespace, &other.kind, &other.group)
    }

    /// Whether it names a Service.
    pub fn is_service(&self) -> bool {
        (self.group(), self.kind()) == ("", "Service")
    }

    /// Whether its kind can answer requests; `None` where only an implementation knows. Of the groups that Kubernetes itself serves, and of
    /// the Gateway API's own, nothing but a Service can, and a route to which an implementation delegates.
    pub fn can_answer(&self) -> Option<bool> {
        if self.is_service() {
            return Some(true);
        }
        let is_known = !extension::is_of_implementation(self.group()) && !self.is_delegation();
        is_known.then_some(false)
    }

    /// Whether it names a route that decides further, as some implementations have it. No ReferenceGrant is asked for such a one.
    pub fn is_delegation(&self) -> bool {
        extension::is_delegation(self.group(), self.kind())
    }

    /// The namespace that is meant by an object in `own`.
    pub fn namespace_from<'r>(&'r self, own: &'r str) -> &'r str {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(own)
    }
}

/// Whether `kind` is spelled like a resource, in lower case as in URLs; a kind begins with an upper-case letter.
pub fn is_spelled_as_resource(kind: &str) -> bool {
    kind.starts_with(|first: char| first.is_ascii_lowercase())
}

/// The kind that is meant by `resource`, the plural or singular name of one in lower case, where we know it.
pub fn kind_of_resource(resource: &str) -> Option<&'static str> {
    let applies = |kind: &Kind| kind.api().plural == resource || kind.api().kind.eq_ignore_ascii_case(resource);
    Kind::ALL.into_iter().find(applies).map(|kind| kind.api().kind)
}

maps_only!(ParentRef, TargetRef, BackendRef);
