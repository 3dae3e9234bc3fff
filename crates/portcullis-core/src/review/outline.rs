//! The kind and the namespace of a review, for callers that need them before the review is decoded.

use std::fmt;

use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, Visitor};

use super::request::Gvk;
use crate::kinds::{Kind, Text};

/// The first fields of a review, which the API server writes before the object. Fields that are missing there keep
/// their defaults.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outline {
    /// The kind of the object, if Portcullis reads it.
    pub kind: Option<Kind>,
    /// The namespace of the object; empty for cluster-scoped kinds.
    pub namespace: String,
}

impl Outline {
    /// The outline of the review in `body`. Reads up to the namespace or the object and not a byte further.
    pub fn of(body: &[u8]) -> Self {
        let mut outline = Self::default();
        // Decoding always ends with an error once the namespace is found; the fields that were read are kept.
        let _ = serde_json::Deserializer::from_slice(body).deserialize_map(Review(&mut outline));
        outline
    }
}

struct Review<'o>(&'o mut Outline);

impl<'de> Visitor<'de> for Review<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a review that begins in the usual order")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match &*key {
                "request" => return map.next_value_seed(Request(self.0)),
                "apiVersion" | "kind" => drop(map.next_value::<IgnoredAny>()?),
                _ => return Err(A::Error::custom("unexpected field order")),
            }
        }
        Ok(())
    }
}

struct Request<'o>(&'o mut Outline);

impl<'de> serde::de::DeserializeSeed<'de> for Request<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Request<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a request")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match &*key {
                "kind" => self.0.kind = map.next_value::<Gvk<'de>>()?.known(),
                "namespace" => {
                    self.0.namespace = map.next_value::<Text<'de>>()?.to_string();
                    return Err(A::Error::custom("stopped after the namespace"));
                }
                "object" | "oldObject" => return Err(A::Error::custom("unexpected field order")),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_fields_are_found_and_nothing_else_is_read() {
        let head = r#"{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","#;
        let kind = r#""kind":{"group":"networking.k8s.io","version":"v1","kind":"Ingress"},"resource":{"group":"a"},"#;
        let whole = format!(r#"{head}{kind}"name":"a","namespace":"web","operation":"CREATE","object":{{"#);
        let found = Outline { kind: Some(Kind::Ingress), namespace: "web".to_owned() };
        assert_eq!(Outline::of(whole.as_bytes()), found, "the rest is not JSON");
        let late = format!(r#"{head}{kind}"object":{{}},"namespace":"web"}}}}"#);
        assert_eq!(Outline::of(late.as_bytes()), Outline { kind: Some(Kind::Ingress), ..Outline::default() });
        for other in ["", "[]", "null", r#"{"request":[]}"#, "\u{ff}"] {
            assert_eq!(Outline::of(other.as_bytes()), Outline::default(), "{other}");
        }
    }
}
