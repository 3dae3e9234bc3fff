//! References of the Gateway API: to a parent, to a backend, or to any other object.

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
    /// The port of the listeners.
    #[serde(deserialize_with = "integer_or_none")]
    pub port: Option<i64>,
    /// A field of an early draft (GEP-724) that is not part of v1.
    pub scope: Present,
}

/// The target of a parent reference, without section and port.
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
    /// The group, or its default.
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or(GATEWAY_GROUP)
    }

    /// The kind, or its default.
    pub fn kind(&self) -> &str {
        self.kind.as_deref().unwrap_or("Gateway")
    }

    /// The kind, if it has listeners.
    pub fn known(&self) -> Option<Kind> {
        match (self.group(), self.kind()) {
            (GATEWAY_GROUP, "Gateway") => Some(Kind::Gateway),
            (GATEWAY_GROUP, "ListenerSet") => Some(Kind::ListenerSet),
            _ => None,
        }
    }

    /// The namespace; if none is written, `own`, the namespace of the referring object.
    pub fn namespace_from<'r>(&'r self, own: &'r str) -> &'r str {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(own)
    }

    /// The target, for a referring object in the namespace `own`, without section and port.
    pub fn parent_from<'r>(&'r self, own: &'r str) -> Parent<'r> {
        Parent { group: self.group(), kind: self.kind(), namespace: self.namespace_from(own), name: &self.name }
    }

    /// The target in the form in which the schema compares it: an absent namespace is empty and not replaced by that of
    /// the route.
    pub fn written_parent(&self) -> Parent<'_> {
        self.parent_from("")
    }

    /// The port; 0 counts as absent.
    pub fn port(&self) -> Option<i64> {
        self.port.filter(|port| *port != 0)
    }

    /// The section; an empty one counts as absent.
    pub fn section(&self) -> Option<&str> {
        self.section_name.as_deref().filter(|section| !section.is_empty())
    }
}

/// A reference to an object whose default kind depends on the field: a Secret, a ConfigMap, a Service, parameters, an
/// extension.
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
    /// The section of the target; only in policies.
    #[serde(borrow, deserialize_with = "text_or_none")]
    pub section_name: Option<Text<'a>>,
}

impl TargetRef<'_> {
    /// The group; absent for the core group.
    pub fn group(&self) -> &str {
        self.group.as_deref().unwrap_or_default()
    }

    /// Whether it references a Service. Group and kind have no default.
    pub fn is_service(&self) -> bool {
        self.group.as_deref() == Some("") && self.kind.as_deref() == Some("Service") && !self.name.is_empty()
    }

    /// What identifies the object, without the section: group, kind and name.
    pub fn object_key(&self) -> (&str, &str, &str) {
        (self.group(), self.kind_or(""), &self.name)
    }

    /// The kind, or `default` if it is absent.
    pub fn kind_or<'r>(&'r self, default: &'r str) -> &'r str {
        self.kind.as_deref().unwrap_or(default)
    }

    /// The namespace; if none is written, `own`, the namespace of the referring object.
    pub fn namespace_from<'r>(&'r self, own: &'r str) -> &'r str {
        self.namespace.as_deref().filter(|namespace| !namespace.is_empty()).unwrap_or(own)
    }
}

/// Whether `kind` is spelled like a resource, in lower case as in URLs. A kind begins with an upper-case letter.
pub fn is_spelled_as_resource(kind: &str) -> bool {
    kind.starts_with(|first: char| first.is_ascii_lowercase())
}

/// The kind for `resource`, its plural or singular name in lower case, if it is supported.
pub fn kind_of_resource(resource: &str) -> Option<&'static str> {
    let applies = |kind: &Kind| kind.api().plural == resource || kind.api().kind.eq_ignore_ascii_case(resource);
    Kind::ALL.into_iter().find(applies).map(|kind| kind.api().kind)
}

maps_only!(ParentRef, TargetRef);
