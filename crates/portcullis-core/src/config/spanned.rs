//! A value with its position in the configuration file.

use std::cmp::Ordering;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::ConfigError;
use super::document::SPANNED;
use super::position::Position;
use crate::names::closest;

/// The largest number of known words that an error lists.
const FEW: usize = 6;

/// A value with its position.
#[derive(Debug, Clone, Default)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its position.
    pub at: Position,
}

impl<T> Spanned<T> {
    /// A value that does not come from a file.
    pub const fn without_position(value: T) -> Self {
        Self { value, at: Position::none() }
    }

    /// An error at the position of the value.
    pub fn error(&self, message: impl Into<String>) -> ConfigError {
        ConfigError::new(message, self.at.clone())
    }
}

impl Spanned<String> {
    /// An error at the position of the value that suggests the closest known word, or lists all of them if none is
    /// close and they are few.
    pub fn unknown<'w>(&self, what: &str, words: impl IntoIterator<Item = &'w str>) -> ConfigError {
        let words: Vec<&str> = words.into_iter().collect();
        let suggestion = closest(&self.value, words.iter().copied());
        let known = match suggestion.is_none() && words.len() <= FEW {
            true => format!(": use {}", words.join(", ")),
            false => String::new(),
        };
        ConfigError { suggestion, ..self.error(format!("unknown {what} `{}`{known}", self.value)) }
    }
}

impl<T> Deref for Spanned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl AsRef<str> for Spanned<String> {
    fn as_ref(&self) -> &str {
        &self.value
    }
}

impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

impl<T: Eq> Eq for Spanned<T> {}

impl<T: PartialOrd> PartialOrd for Spanned<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value.partial_cmp(&other.value)
    }
}

impl<T: Ord> Ord for Spanned<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.value.cmp(&other.value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SpannedVisitor<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for SpannedVisitor<T> {
            type Value = Spanned<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value with its position")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Spanned<T>, A::Error> {
                let missing = || A::Error::custom("a value has no position");
                let file: Arc<str> = parts.next_element()?.ok_or_else(missing)?;
                let line = parts.next_element()?.ok_or_else(missing)?;
                let column = parts.next_element()?.ok_or_else(missing)?;
                let value = parts.next_element()?.ok_or_else(missing)?;
                Ok(Spanned { value, at: Position { file: (!file.is_empty()).then_some(file), line, column } })
            }
        }
        deserializer.deserialize_newtype_struct(SPANNED, SpannedVisitor(PhantomData))
    }
}

impl<T: Serialize> Serialize for Spanned<T> {
    /// Writes the value alone, as the schema shows defaults.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value.serialize(serializer)
    }
}

impl<T: JsonSchema> JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}
