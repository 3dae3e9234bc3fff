//! The kinds that Portcullis reads: one lenient view type a kind, decoded from JSON and borrowing its text.
//!
//! Decoding judges nothing: absent fields are `None` or empty, unknown fields are skipped. Only JSON of another shape (a number where
//! text belongs) cannot be read, and then a named check says so.
#![deny(clippy::disallowed_methods, clippy::disallowed_types)]

pub mod annotation;
pub mod ingress;
pub mod ingress_class;
pub mod misfit;
pub mod namespace;
pub mod schema;
pub mod service;
mod shape;
pub mod text;
pub mod walk;

use std::fmt;

use serde::{Deserialize, Deserializer, de::DeserializeSeed};

pub use ingress::Ingress;
pub use ingress_class::IngressClass;
pub use misfit::Misfit;
pub use namespace::Namespace;
pub use service::Service;
pub use text::{Entries, Text};

/// A kind that Portcullis knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// `networking.k8s.io/v1` Ingress: judged and defaulted.
    Ingress,
    /// `networking.k8s.io/v1` IngressClass: judged.
    IngressClass,
    /// Core Service: only looked up.
    Service,
    /// Core Namespace: only looked up.
    Namespace,
}

/// How the API server names a kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ApiName {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The version that the view type reads.
    pub version: &'static str,
    /// The kind, as in manifests.
    pub kind: &'static str,
    /// The resource, as in URLs and RBAC.
    pub plural: &'static str,
    /// Whether objects live in a namespace.
    pub namespaced: bool,
}

impl Kind {
    /// Every kind, in the order in which they are listed anywhere.
    pub const ALL: [Self; 4] = [Self::Ingress, Self::IngressClass, Self::Service, Self::Namespace];

    /// The kind's names in the API.
    pub const fn api(self) -> ApiName {
        let (group, kind, plural, namespaced) = match self {
            Self::Ingress => ("networking.k8s.io", "Ingress", "ingresses", true),
            Self::IngressClass => ("networking.k8s.io", "IngressClass", "ingressclasses", false),
            Self::Service => ("", "Service", "services", true),
            Self::Namespace => ("", "Namespace", "namespaces", false),
        };
        ApiName { group, version: "v1", kind, plural, namespaced }
    }

    /// The kind with these names, if we read it in this version.
    pub fn of(group: &str, version: &str, kind: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| {
            let api = known.api();
            (api.group, api.version, api.kind) == (group, version, kind)
        })
    }

    /// The kind of a manifest with this `apiVersion`.
    pub fn of_manifest(api_version: &str, kind: &str) -> Option<Self> {
        let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
        Self::of(group, version, kind)
    }

    /// Whether admission reviews of this kind are judged.
    pub const fn is_judged(self) -> bool {
        matches!(self, Self::Ingress | Self::IngressClass)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.api().kind)
    }
}

/// Some kinds, as one small value.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KindSet(u32);

impl KindSet {
    /// No kind.
    pub const EMPTY: Self = Self(0);

    /// These kinds.
    pub const fn of(kinds: &[Kind]) -> Self {
        let (mut set, mut next) = (0, 0);
        while next < kinds.len() {
            set |= 1 << kinds[next] as u32;
            next += 1;
        }
        Self(set)
    }

    /// The kinds of both.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The kinds of this set that are not in `other`.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Whether `kind` is among them.
    pub const fn contains(self, kind: Kind) -> bool {
        self.0 & (1 << kind as u32) != 0
    }

    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The kinds, in the order of [`Kind::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Kind> {
        Kind::ALL.into_iter().filter(move |kind| self.contains(*kind))
    }
}

/// An object's place in the cluster, never its UID: an object that is deleted and created again is the same place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef {
    /// Its kind.
    pub kind: Kind,
    /// Its namespace; empty for cluster-scoped kinds.
    pub namespace: String,
    /// Its name; empty while the API server has yet to generate one.
    pub name: String,
}

impl ObjectRef {
    /// The place of `name` in `namespace`, the namespace dropped for cluster-scoped kinds.
    pub fn new(kind: Kind, namespace: &str, name: &str) -> Self {
        let namespace = if kind.api().namespaced { namespace } else { "" };
        Self { kind, namespace: namespace.to_owned(), name: name.to_owned() }
    }
}

impl fmt::Display for ObjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.namespace.as_str() {
            "" => write!(f, "{} {}", self.kind, self.name),
            namespace => write!(f, "{} {namespace}/{}", self.kind, self.name),
        }
    }
}

/// The part of `metadata` that anything here asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default, remote = "Self", expecting = "a map")]
pub struct Metadata<'a> {
    /// The object's name.
    #[serde(borrow)]
    pub name: Option<Text<'a>>,
    /// The prefix from which the API server makes a name.
    #[serde(borrow)]
    pub generate_name: Option<Text<'a>>,
    /// The object's namespace.
    #[serde(borrow)]
    pub namespace: Option<Text<'a>>,
    /// When the object was created, RFC 3339; absent in a manifest.
    #[serde(borrow)]
    pub creation_timestamp: Option<Text<'a>>,
    /// The object's labels.
    #[serde(borrow)]
    pub labels: Entries<'a>,
    /// The object's annotations.
    #[serde(borrow)]
    pub annotations: Entries<'a>,
}

shape::maps_only!(Metadata);

impl Metadata<'_> {
    /// The object's name, empty where it has none yet.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_default()
    }

    /// The object's namespace, empty where it has none.
    pub fn namespace(&self) -> &str {
        self.namespace.as_deref().unwrap_or_default()
    }
}

/// An object of one of our kinds, as one JSON text holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Object<'a> {
    /// An Ingress.
    Ingress(Ingress<'a>),
    /// An IngressClass.
    IngressClass(IngressClass<'a>),
    /// A Service.
    Service(Service<'a>),
    /// A Namespace.
    Namespace(Namespace<'a>),
}

impl Object<'_> {
    /// The object's metadata.
    pub fn metadata(&self) -> &Metadata<'_> {
        match self {
            Self::Ingress(object) => &object.metadata,
            Self::IngressClass(object) => &object.metadata,
            Self::Service(object) => &object.metadata,
            Self::Namespace(object) => &object.metadata,
        }
    }

    /// The object's kind.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Ingress(_) => Kind::Ingress,
            Self::IngressClass(_) => Kind::IngressClass,
            Self::Service(_) => Kind::Service,
            Self::Namespace(_) => Kind::Namespace,
        }
    }

    /// The object's place.
    pub fn place(&self) -> ObjectRef {
        let metadata = self.metadata();
        ObjectRef::new(self.kind(), metadata.namespace(), metadata.name())
    }
}

/// Reads `json` as an object of `kind`; the error says where its shape is another.
pub fn decode(kind: Kind, json: &str) -> serde_json::Result<Object<'_>> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let object = AsKind(kind).deserialize(&mut reader)?;
    reader.end()?;
    Ok(object)
}

/// Reads an object whose kind is known before its first byte: no second pass over the text.
#[derive(Debug, Clone, Copy)]
pub struct AsKind(pub Kind);

impl<'de> DeserializeSeed<'de> for AsKind {
    type Value = Object<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Object<'de>, D::Error> {
        match self.0 {
            Kind::Ingress => Deserialize::deserialize(deserializer).map(Object::Ingress),
            Kind::IngressClass => Deserialize::deserialize(deserializer).map(Object::IngressClass),
            Kind::Service => Deserialize::deserialize(deserializer).map(Object::Service),
            Kind::Namespace => Deserialize::deserialize(deserializer).map(Object::Namespace),
        }
    }
}

/// Reads `null` as the default, as the API server's own decoder does.
pub(crate) fn null_is_default<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Default + Deserialize<'de>,
    D: Deserializer<'de>,
{
    Option::deserialize(deserializer).map(Option::unwrap_or_default)
}
