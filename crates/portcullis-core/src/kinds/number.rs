//! A number that should have been text, as YAML makes it of `1.3` without quotes.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};

use super::Text;

/// Text, or a bare number read as the text that it was written as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Number<'a> {
    /// The text.
    pub text: Text<'a>,
    /// Whether it was written without quotes.
    pub is_bare: bool,
}

impl<'de: 'a, 'a> Deserialize<'de> for Number<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = Number<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Number { text: Text(Cow::Borrowed(text)), is_bare: false })
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Number { text: Text(Cow::Owned(text.to_owned())), is_bare: false })
            }

            fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
                Ok(bare(number))
            }

            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
                Ok(bare(number))
            }

            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
                Ok(bare(number))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

fn bare(number: impl fmt::Display) -> Number<'static> {
    Number { text: Text(Cow::Owned(number.to_string())), is_bare: true }
}
