//! The fields of an AdmissionReview request that Portcullis uses.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::answer::{AdmissionVerdict, Summary};
use crate::checks::{Operation, Plan};
use crate::cluster::{Extra, User};
use crate::kinds::{Kind, Object, ObjectRef, Text, null_is_default};

/// The `request` of an AdmissionReview.
#[derive(Debug)]
pub struct AdmissionRequest<'a> {
    /// The uid of the review, which the response repeats.
    pub uid: Text<'a>,
    /// The group, version and kind of the object.
    pub gvk: Gvk<'a>,
    /// The subresource that is written, if any.
    pub subresource: Option<Text<'a>>,
    /// The name of the object; empty if the API server generates it later.
    pub name: Text<'a>,
    /// The namespace of the object; empty for cluster-scoped kinds.
    pub namespace: Text<'a>,
    /// `CREATE`, `UPDATE`, `DELETE` or `CONNECT`.
    pub verb: Text<'a>,
    /// The user who writes.
    pub user: Option<UserInfo<'a>>,
    /// Whether this is a dry run, which stores nothing.
    pub is_dry_run: bool,
    /// The object after the write.
    pub object: RequestObject<'a>,
    /// The object before the write, for updates and deletions. Only decoded when needed.
    pub old_object: Option<&'a RawValue>,
}

impl<'a> AdmissionRequest<'a> {
    /// Whether a subresource such as `status` is written.
    pub fn is_subresource(&self) -> bool {
        self.subresource.as_ref().is_some_and(|name| !name.is_empty())
    }

    /// The summary of a review that found nothing.
    pub(super) fn summary(&self, kind: Option<Kind>, verdict: AdmissionVerdict) -> Summary {
        let (is_claim, is_dry_run) = (self.operation() == Some(Operation::Create), self.is_dry_run);
        let namespace = (*self.namespace).into();
        Summary { kind, namespace, verdict, is_claim, is_dry_run, findings: Vec::new(), denied: None }
    }

    /// The operation; `None` for verbs other than create, update and delete.
    pub fn operation(&self) -> Option<Operation> {
        match &*self.verb {
            "CREATE" => Some(Operation::Create),
            "UPDATE" => Some(Operation::Update),
            "DELETE" => Some(Operation::Delete),
            _ => None,
        }
    }

    /// The reference to the object. Namespace and name come from the request, or from the object where the request has
    /// none.
    pub fn object_ref(&self, kind: Kind, object: Option<&Object<'_>>) -> ObjectRef {
        let metadata = object.map(Object::metadata);
        let namespace = match &*self.namespace {
            "" => metadata.map_or("", |metadata| metadata.namespace()),
            from_request => from_request,
        };
        let name = match &*self.name {
            "" => metadata.map_or("", |metadata| metadata.name()),
            from_request => from_request,
        };
        ObjectRef::new(kind, namespace, name)
    }

    /// The text of the object, if it was not decoded and can be.
    pub fn raw(&self) -> Option<&'a RawValue> {
        match self.object {
            RequestObject::Raw(raw) => Some(raw),
            RequestObject::Absent | RequestObject::Decoded(_) | RequestObject::TooManyMaps { .. } => None,
        }
    }
}

/// The `object` of a request.
#[derive(Debug, Default)]
pub enum RequestObject<'a> {
    /// The request has no object, because it is deleted.
    #[default]
    Absent,
    /// The object, decoded as its kind in the first pass.
    Decoded(Box<Object<'a>>),
    /// The object as text: its kind is unknown, `kind` came after `object`, or it cannot be decoded.
    Raw(&'a RawValue),
    /// The object has too many JSON maps to be decoded.
    TooManyMaps {
        /// The object as text.
        raw: &'a RawValue,
        /// The maximum for an object of its kind.
        most: usize,
    },
}

/// A group, version and kind.
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
    /// The kind, if Portcullis reads it in this version.
    pub fn known(&self) -> Option<Kind> {
        Kind::of(&self.group, &self.version, &self.kind)
    }
}

/// The user who writes.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct UserInfo<'a> {
    /// The user's name.
    #[serde(borrow, deserialize_with = "null_is_default")]
    pub username: Text<'a>,
    /// The groups of the user, decoded only when needed.
    #[serde(borrow)]
    pub groups: Option<&'a RawValue>,
    /// Extra fields of the user that the authenticator sets, decoded only when needed.
    #[serde(borrow)]
    pub extra: Option<&'a RawValue>,
}

impl UserInfo<'_> {
    /// The groups of the user; empty if they cannot be decoded.
    pub fn groups(&self) -> Vec<String> {
        self.groups.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default()
    }

    /// The extra fields of the user; empty if they cannot be decoded.
    pub fn extra(&self) -> Extra {
        self.extra.and_then(|map| serde_json::from_str(map.get()).ok()).unwrap_or_default()
    }
}

/// The user of a request, with the attributes that the configuration uses.
pub(super) struct Requester<'r> {
    name: Option<&'r str>,
    groups: Vec<String>,
    extra: Extra,
}

impl<'r> Requester<'r> {
    /// Decodes what `plan` needs.
    pub(super) fn of(request: &'r AdmissionRequest<'_>, plan: &Plan) -> Self {
        let user = request.user.as_ref();
        let groups = user.filter(|_| plan.needs_groups()).map(UserInfo::groups).unwrap_or_default();
        let extra = user.filter(|_| plan.needs_extra()).map(UserInfo::extra).unwrap_or_default();
        Self { name: user.map(|user| &*user.username), groups, extra }
    }

    /// The user; `None` if the request names none.
    pub(super) fn user(&self) -> Option<User<'_>> {
        self.name.map(|name| User { name, groups: &self.groups, extra: &self.extra })
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
            object: RequestObject::Absent,
            old_object: None,
        }
    }
}
