//! Text and maps in an object under review, borrowed from the request where JSON allows it.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::names::as_compared;

/// A string of the object, borrowed unless an escape or an owned source requires a copy. An element of a list that is
/// `null` is empty, as in Go.
///
/// A derived `Option<Cow<str>>` would always copy; a newtype with its own decoder borrows.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text<'a>(pub Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'a> From<&'a str> for Text<'a> {
    fn from(text: &'a str) -> Self {
        Self(Cow::Borrowed(text))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(TextVisitor)
    }
}

/// Decodes a text field that may be `null`. This looks at its first byte once, while the decoder of `Option` looks
/// twice. Most values are of this type.
pub(crate) fn text_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Text<'de>>, D::Error> {
    deserializer.deserialize_any(OptionalVisitor)
}

/// Decodes a text field in which `null` is the empty text.
pub(crate) fn text_or_empty<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Text<'de>, D::Error> {
    text_or_none(deserializer).map(Option::unwrap_or_default)
}

struct TextVisitor;

impl<'de> Visitor<'de> for TextVisitor {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(Text::default())
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Borrowed(text)))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Self::Value, E> {
        Ok(Text(Cow::Owned(text)))
    }
}

struct OptionalVisitor;

impl<'de> Visitor<'de> for OptionalVisitor {
    type Value = Option<Text<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        TextVisitor.expecting(f)
    }

    fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
        TextVisitor.visit_borrowed_str(text).map(Some)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        TextVisitor.visit_str(text).map(Some)
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Self::Value, E> {
        TextVisitor.visit_string(text).map(Some)
    }
}

struct Optional;

impl<'de> DeserializeSeed<'de> for Optional {
    type Value = Option<Text<'de>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        text_or_none(deserializer)
    }
}

/// The annotation in which `kubectl apply` keeps a copy of the manifest, which makes up half of many objects. Its value
/// is skipped, because a fault in it is also a fault of the object itself.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// Labels or annotations in the order in which they were written. The API server sends them sorted. A key whose controller ignores
/// case is in lower case, so it may be there several times.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Entries<'a>(pub Vec<(Text<'a>, Text<'a>)>);

impl<'a> Entries<'a> {
    /// The value of `key`; the last one if it is there several times, as Traefik reads it.
    pub fn get(&self, key: &str) -> Option<&Text<'a>> {
        self.0.iter().rev().find(|(name, _)| &**name == key).map(|(_, value)| value)
    }

    /// All keys with their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(key, value)| (&**key, &**value))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Entries<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct EntriesVisitor;
        impl<'de> Visitor<'de> for EntriesVisitor {
            type Value = Entries<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map of strings")
            }

            fn visit_unit<E: de::Error>(self) -> Result<Self::Value, E> {
                Ok(Entries::default())
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::with_capacity(16);
                while let Some(key) = map.next_key::<Text<'de>>()? {
                    let value = match &*key {
                        LAST_APPLIED => map.next_value::<IgnoredAny>().map(|_| None)?,
                        _ => map.next_value_seed(Optional)?,
                    };
                    entries.push((Text(as_compared(key.0)), value.unwrap_or_default()));
                }
                Ok(Entries(entries))
            }
        }
        deserializer.deserialize_any(EntriesVisitor)
    }
}
