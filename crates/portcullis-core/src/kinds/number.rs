//! A number that should be text, such as `1.3` without quotes in YAML.

use std::borrow::Cow;
use std::fmt;

use serde::de::{self, Deserialize, Deserializer, Visitor};

use super::Text;

/// Text, or a number without quotes in the notation in which it was written.
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
