//! Decodes an `admission.k8s.io/v1` AdmissionReview in one pass: the API server writes `kind` before `object`, so the
//! object can be decoded as its kind immediately. Only if that fails does a second pass recover the uid.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::request::{AdmissionRequest, RequestObject};
use crate::kinds::{Kind, Object, ObjectSeed, Text};

/// The supported `apiVersion` of an AdmissionReview.
pub const API_VERSION: &str = "admission.k8s.io/v1";

/// Why a body is not a valid AdmissionReview.
#[derive(Debug, thiserror::Error)]
pub enum NoReview {
    /// The bytes are not UTF-8.
    #[error("the body is not UTF-8")]
    NotUtf8,
    /// The text is not the JSON of an AdmissionReview.
    #[error("the body is not an AdmissionReview: {0}")]
    NotJson(#[from] serde_json::Error),
    /// The body has another kind or version.
    #[error(
        "the body must be an AdmissionReview of {API_VERSION}; its kind is `{kind}` and its apiVersion `{api_version}`"
    )]
    OtherKind {
        /// The `apiVersion` found.
        api_version: String,
        /// The `kind` found.
        kind: String,
    },
    /// The review has more JSON maps outside of its objects than any that the API server sends.
    #[error("the review has more than {most} JSON objects outside of `request.object` and `request.oldObject`")]
    TooManyMaps {
        /// The maximum.
        most: usize,
    },
    /// There is no `request`, or it has no uid.
    #[error("the AdmissionReview must have a `request` with a `uid`")]
    NoRequest,
}

/// The maximum number of JSON maps in one object. Each decoded map takes 100 to 420 bytes of memory. A custom resource
/// has at most 1.5 MiB, and each map that it needs takes at least ten bytes of that.
const MAX_MAPS: usize = 100_000;
/// The maximum for an Ingress, which the API server stores in a format a third as long as JSON. The smallest valid path
/// has four maps in about 80 bytes, so an object that fills half of the largest body has fewer.
const MAX_INGRESS_MAPS: usize = 400_000;

/// Decodes a review. An object that cannot be decoded as its kind is returned as [`RequestObject::Raw`].
pub fn read(text: &str, pass: Pass) -> Result<AdmissionRequest<'_>, NoReview> {
    let oversized = match text.len() <= MAX_MAPS || maps(text) <= MAX_MAPS {
        true => Oversized::default(),
        false => Oversized::of(text)?,
    };
    let pass = if oversized.new.is_some() { Pass::Raw } else { pass };
    let review = match parse(text, pass) {
        Err(_) if pass == Pass::Objects => parse(text, Pass::Raw)?,
        parsed => parsed?,
    };
    if (&*review.api_version, &*review.kind) != (API_VERSION, "AdmissionReview") {
        let (api_version, kind) = (review.api_version.to_string(), review.kind.to_string());
        return Err(NoReview::OtherKind { api_version, kind });
    }
    let mut request = review.request.filter(|request| !request.uid.is_empty()).ok_or(NoReview::NoRequest)?;
    match (oversized.new, &request.object) {
        // The old object is then only compared as text.
        (Some(most), RequestObject::Raw(raw)) => request.object = RequestObject::TooManyMaps { raw, most },
        _ if oversized.old => request.old_object = None,
        _ => {}
    }
    Ok(request)
}

/// Which objects of a review have too many maps to be decoded.
#[derive(Debug, Default)]
struct Oversized {
    /// The maximum, if the new object has more. It is then an object that cannot be decoded, and not an error, which
    /// `failurePolicy: Ignore` would turn into an admission.
    new: Option<usize>,
    /// Whether the old object has. It is then omitted, so that the new object can still be checked.
    old: bool,
}

impl Oversized {
    /// Examines a review with more maps than one object may have. Too many maps outside of its objects are an error.
    fn of(text: &str) -> Result<Self, NoReview> {
        let request = parse(text, Pass::Raw)?.request.ok_or(NoReview::NoRequest)?;
        let most = if request.gvk.known() == Some(Kind::Ingress) { MAX_INGRESS_MAPS } else { MAX_MAPS };
        let count = |raw: Option<&RawValue>| raw.map_or(0, |raw| maps(raw.get()));
        let (new, old) = (count(request.raw()), count(request.old_object));
        match maps(text).saturating_sub(new + old) > most {
            true => Err(NoReview::TooManyMaps { most }),
            false => Ok(Self { new: (new > most).then_some(most), old: old > most }),
        }
    }
}

/// The approximate number of maps in a JSON text: the braces at the start of a value. The few braces in strings that
/// look like one are counted too.
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

/// Whether the object is decoded in this pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// The object is decoded as its kind.
    Objects,
    /// The object is returned as text.
    Raw,
}

/// The decoded review; [`read`] validates it.
#[derive(Default)]
pub struct Review<'a> {
    api_version: Text<'a>,
    kind: Text<'a>,
    request: Option<AdmissionRequest<'a>>,
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
    type Value = Option<AdmissionRequest<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_option(self)
    }
}

impl<'de> Visitor<'de> for RequestSeed {
    type Value = Option<AdmissionRequest<'de>>;

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
        let mut request = AdmissionRequest::default();
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match &*key {
                "uid" => request.uid = text(&mut map)?,
                "kind" => request.gvk = map.next_value()?,
                "subResource" => request.subresource = map.next_value()?,
                "name" => request.name = text(&mut map)?,
                "namespace" => request.namespace = text(&mut map)?,
                "operation" => request.verb = text(&mut map)?,
                "userInfo" => request.user = map.next_value()?,
                "dryRun" => request.is_dry_run = map.next_value::<Option<bool>>()?.unwrap_or_default(),
                "object" => request.object = self.0.request_object(&mut map, request.gvk.known())?,
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
    fn request_object<'de, A: MapAccess<'de>>(
        self,
        map: &mut A,
        kind: Option<Kind>,
    ) -> Result<RequestObject<'de>, A::Error> {
        match kind {
            Some(kind) if self == Self::Objects && kind.is_validated() => {
                let object = map.next_value_seed(Nullable(ObjectSeed(kind)))?;
                Ok(object.map_or(RequestObject::Absent, |object| RequestObject::Decoded(Box::new(object))))
            }
            _ => Ok(map.next_value::<Option<&RawValue>>()?.map_or(RequestObject::Absent, RequestObject::Raw)),
        }
    }
}

/// Decodes `null` as `None`.
struct Nullable(ObjectSeed);

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
