//! What an AdmissionReview asks, as far as somebody here wants to know it.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::checks::Operation;
use crate::cluster::Extra;
use crate::kinds::{Kind, Object, ObjectRef, Text, null_is_default};

/// What the API server asks.
#[derive(Debug)]
pub struct AdmissionRequest<'a> {
    /// The review's id, to be sent back.
    pub uid: Text<'a>,
    /// The kind of the object, as group, version and kind.
    pub gvk: Gvk<'a>,
    /// The subresource that is written, if it is one.
    pub subresource: Option<Text<'a>>,
    /// The object's name; empty while one is generated.
    pub name: Text<'a>,
    /// The object's namespace; empty for cluster-scoped kinds.
    pub namespace: Text<'a>,
    /// `CREATE`, `UPDATE`, `DELETE` or `CONNECT`.
    pub verb: Text<'a>,
    /// Who writes.
    pub user: Option<UserInfo<'a>>,
    /// Whether nothing is to come of it.
    pub is_dry_run: bool,
    /// The object as it would be.
    pub object: Content<'a>,
    /// The object as it is, for updates and deletions; read when somebody asks.
    pub old_object: Option<&'a RawValue>,
}

impl<'a> AdmissionRequest<'a> {
    /// Whether a subresource is written, such as `status`.
    pub fn is_subresource(&self) -> bool {
        self.subresource.as_ref().is_some_and(|name| !name.is_empty())
    }

    /// What happens to the object, if it is one of the writes that we know.
    pub fn operation(&self) -> Option<Operation> {
        match &*self.verb {
            "CREATE" => Some(Operation::Create),
            "UPDATE" => Some(Operation::Update),
            "DELETE" => Some(Operation::Delete),
            _ => None,
        }
    }

    /// The object's place: by the request, and by the object where the request leaves it open.
    pub fn object_ref(&self, kind: Kind, object: Option<&Object<'_>>) -> ObjectRef {
        let metadata = object.map(Object::metadata);
        let namespace = match &*self.namespace {
            "" => metadata.map_or("", |metadata| metadata.namespace()),
            given => given,
        };
        let name = match &*self.name {
            "" => metadata.map_or("", |metadata| metadata.name()),
            given => given,
        };
        ObjectRef::new(kind, namespace, name)
    }

    /// The object's text, where it was not read.
    pub fn raw(&self) -> Option<&'a RawValue> {
        match self.object {
            Content::Raw(raw) => Some(raw),
            Content::Absent | Content::Read(_) => None,
        }
    }
}

/// `object` of a request.
#[derive(Debug, Default)]
pub enum Content<'a> {
    /// None: a deletion.
    #[default]
    Absent,
    /// Read as its kind in the first pass.
    Read(Box<Object<'a>>),
    /// Not read yet: its kind is not ours, came later, or it is of another shape.
    Raw(&'a RawValue),
}

/// Group, version and kind.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Gvk<'a> {
    /// The group; empty for the core group.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub group: Text<'a>,
    /// The version.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub version: Text<'a>,
    /// The kind.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub kind: Text<'a>,
}

impl Gvk<'_> {
    /// The kind, if it is one of ours in the version that we read.
    pub fn known(&self) -> Option<Kind> {
        Kind::of(&self.group, &self.version, &self.kind)
    }
}

/// Who writes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct UserInfo<'a> {
    /// The user's name.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub username: Text<'a>,
    /// The user's groups, read when somebody asks.
    #[serde(borrow)]
    pub groups: Option<&'a RawValue>,
    /// What else the authenticator says of the user, read when somebody asks.
    #[serde(borrow)]
    pub extra: Option<&'a RawValue>,
}

impl UserInfo<'_> {
    /// The user's groups; none where they are of another shape.
    pub fn groups(&self) -> Vec<String> {
        self.groups.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default()
    }

    /// What else is said of the user; nothing where it is of another shape.
    pub fn extra(&self) -> Extra {
        self.extra.and_then(|map| serde_json::from_str(map.get()).ok()).unwrap_or_default()
    }
}

impl Default for AdmissionRequest<'_> {
    fn default() -> Self {
        Self {
            uid: Text::default(),
            gvk: Gvk::default(),
            subresource: None,
            name: Text::default(),
            namespace: Text::default(),
            verb: Text::default(),
            user: None,
            is_dry_run: false,
            object: Content::Absent,
            old_object: None,
        }
    }
}
