//! References of the Gateway API: to a parent, to a backend, to any other object.

use serde::Deserialize;

pub use super::extension::GATEWAY_GROUP;
use super::{Kind, Present, Text, integer_or_none, text_or_empty, text_or_none};
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

/// Whether `kind` is spelled like a resource, in lower case as in URLs; a kind begins with an upper-case letter.
pub fn is_spelled_as_resource(kind: &str) -> bool {
    kind.starts_with(|first: char| first.is_ascii_lowercase())
}

/// The kind that is meant by `resource`, the plural or singular name of one in lower case, where we know it.
pub fn kind_of_resource(resource: &str) -> Option<&'static str> {
    let applies = |kind: &Kind| kind.api().plural == resource || kind.api().kind.eq_ignore_ascii_case(resource);
    Kind::ALL.into_iter().find(applies).map(|kind| kind.api().kind)
}

maps_only!(ParentRef, TargetRef);
