//! `admission.k8s.io/v1` AdmissionReview, read in one pass: the API server writes `kind` before `object`, so the object is read as its kind
//! where it stands. Only when that fails does a second pass recover the uid.

use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::checks::Operation;
use crate::kinds::{AsKind, Kind, Object, ObjectRef, Text, null_is_default};

/// The group and version that reviews are exchanged in.
pub const API_VERSION: &str = "admission.k8s.io/v1";

/// What the API server asks.
#[derive(Debug)]
pub struct Request<'a> {
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
    /// The object as it would be.
    pub object: Content<'a>,
    /// The object as it is, for updates and deletions; read when somebody asks.
    pub old_object: Option<&'a RawValue>,
}

impl<'a> Request<'a> {
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
    pub fn place(&self, kind: Kind, object: Option<&Object<'_>>) -> ObjectRef {
        let metadata = object.map(Object::metadata);
        let or = |given: &str, own: Option<&str>| match given {
            "" => own.unwrap_or_default().to_owned(),
            given => given.to_owned(),
        };
        let namespace = or(&self.namespace, metadata.map(|metadata| metadata.namespace()));
        let name = or(&self.name, metadata.map(|metadata| metadata.name()));
        ObjectRef::new(kind, &namespace, &name)
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
}

impl UserInfo<'_> {
    /// The user's groups; none where they are of another shape.
    pub fn groups(&self) -> Vec<String> {
        self.groups.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default()
    }
}

/// Why a body is no review.
#[derive(Debug, thiserror::Error)]
pub enum NoReview {
    /// The bytes are not UTF-8.
    #[error("the body is not UTF-8")]
    NotUtf8,
    /// The text is not JSON of an AdmissionReview.
    #[error("the body is not an AdmissionReview: {0}")]
    NotJson(#[from] serde_json::Error),
    /// Another kind or version.
    #[error("the body is `{kind}` of `{api_version}`; only AdmissionReview of {API_VERSION} is understood")]
    OtherKind {
        /// The `apiVersion` found.
        api_version: String,
        /// The `kind` found.
        kind: String,
    },
    /// More maps than any object that the API server lets through can have.
    #[error("the body has more than {MOST_MAPS} maps")]
    TooManyMaps,
    /// No `request`, or one without a uid.
    #[error("the AdmissionReview has no request with a uid")]
    NoRequest,
}

/// The most maps in one review. The smallest path that the API server admits has four in some 80
/// bytes, so that two objects of 3 MiB have fewer than 320,000; what is read of each takes a hundred bytes and more.
const MOST_MAPS: usize = 400_000;

/// Reads a review. An object that cannot be read as its kind comes back as [`Content::Raw`].
pub fn read(text: &str, pass: Pass) -> Result<Request<'_>, NoReview> {
    if text.len() > MOST_MAPS && maps(text) > MOST_MAPS {
        return Err(NoReview::TooManyMaps);
    }
    let review = match parse(text, pass) {
        Err(_) if pass == Pass::Objects => parse(text, Pass::Raw)?,
        parsed => parsed?,
    };
    if (&*review.api_version, &*review.kind) != (API_VERSION, "AdmissionReview") {
        let (api_version, kind) = (review.api_version.to_string(), review.kind.to_string());
        return Err(NoReview::OtherKind { api_version, kind });
    }
    review.request.filter(|request| !request.uid.is_empty()).ok_or(NoReview::NoRequest)
}

/// About how many maps a JSON text has: braces where a value may begin, also those few that stand so in a string.
fn maps(text: &str) -> usize {
    let begins = |pair: &[u8]| pair[1] == b'{' && matches!(pair[0], b':' | b',' | b'[' | b' ' | b'\t' | b'\r' | b'\n');
    text.as_bytes().windows(2).filter(|pair| begins(pair)).count()
}

fn parse(text: &str, pass: Pass) -> serde_json::Result<Review<'_>> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let review = pass.deserialize(&mut reader)?;
    reader.end()?;
    Ok(review)
}

/// Whether the object is read on the way, or left as it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// It is read as its kind.
    Objects,
    /// It stays text.
    Raw,
}

/// The whole review; only [`read`] makes something of it.
#[derive(Default)]
pub struct Review<'a> {
    api_version: Text<'a>,
    kind: Text<'a>,
    request: Option<Request<'a>>,
}

impl<'de> DeserializeSeed<'de> for Pass {
    type Value = Review<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Review<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Pass {
    type Value = Review<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an AdmissionReview")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Review<'de>, A::Error> {
        let mut review = Review::default();
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match &*key {
                "apiVersion" => review.api_version = map.next_value()?,
                "kind" => review.kind = map.next_value()?,
                "request" => review.request = map.next_value_seed(RequestSeed(self))?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(review)
    }
}

struct RequestSeed(Pass);

impl<'de> DeserializeSeed<'de> for RequestSeed {
    type Value = Option<Request<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for RequestSeed {
    type Value = Option<Request<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an AdmissionRequest")
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut request = Request::default();
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match &*key {
                "uid" => request.uid = text(&mut map)?,
                "kind" => request.gvk = map.next_value()?,
                "subResource" => request.subresource = map.next_value()?,
                "name" => request.name = text(&mut map)?,
                "namespace" => request.namespace = text(&mut map)?,
                "operation" => request.verb = text(&mut map)?,
                "userInfo" => request.user = map.next_value()?,
                "object" => request.object = self.0.content(&mut map, request.gvk.known())?,
                "oldObject" => request.old_object = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Some(request))
    }
}

fn text<'de, A: MapAccess<'de>>(map: &mut A) -> Result<Text<'de>, A::Error> {
    map.next_value::<Option<Text<'de>>>().map(Option::unwrap_or_default)
}

impl Pass {
    fn content<'de, A: MapAccess<'de>>(self, map: &mut A, kind: Option<Kind>) -> Result<Content<'de>, A::Error> {
        match kind {
            Some(kind) if self == Self::Objects && kind.is_judged() => {
                let object = map.next_value_seed(Nullable(AsKind(kind)))?;
                Ok(object.map_or(Content::Absent, |object| Content::Read(Box::new(object))))
            }
            _ => Ok(map.next_value::<Option<&RawValue>>()?.map_or(Content::Absent, Content::Raw)),
        }
    }
}

/// Reads `null` as nothing.
struct Nullable(AsKind);

impl<'de> DeserializeSeed<'de> for Nullable {
    type Value = Option<Object<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for Nullable {
    type Value = Option<Object<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        self.0.deserialize(deserializer).map(Some)
    }
}

impl Default for Request<'_> {
    fn default() -> Self {
        Self {
            uid: Text::default(),
            gvk: Gvk::default(),
            subresource: None,
            name: Text::default(),
            namespace: Text::default(),
            verb: Text::default(),
            user: None,
            object: Content::Absent,
            old_object: None,
        }
    }
}
