//! `metadata.generation`, which the API server sets and no check uses.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::integer::integral;

/// How often the object's `spec` was changed; `None` if it is absent or not a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Generation(pub Option<i64>);

impl<'de> Deserialize<'de> for Generation {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Number)
    }
}

struct Number;

impl<'de> Visitor<'de> for Number {
    type Value = Generation;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("anything")
    }

    fn visit_i64<E>(self, number: i64) -> Result<Generation, E> {
        Ok(Generation(Some(number)))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Generation, E> {
        Ok(Generation(number.try_into().ok()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Generation, E> {
        Ok(Generation(integral(number)))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Generation, E> {
        Ok(Generation(None))
    }

    fn visit_str<E>(self, _: &str) -> Result<Generation, E> {
        Ok(Generation(None))
    }

    fn visit_unit<E>(self) -> Result<Generation, E> {
        Ok(Generation(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Generation, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Generation(None))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Generation, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Generation(None))
    }
}
