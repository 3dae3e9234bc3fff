//! The shape of an object: what the derived readers of the view types take beyond it is refused, and `null` is taken for an empty map.

use std::fmt;

use serde::de::value::MapDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

/// Reads structs from maps alone. Derived readers also take a list of the fields in order, so that `spec: []` would be an empty spec. For
/// `null` they get an empty map, as Go reads it into an element of a list: it has no fields.
pub(crate) struct MapsOnly<D>(pub(crate) D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for MapsOnly<D> {
    type Error = D::Error;

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(MapOrNull(visitor))
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq
        tuple tuple_struct map enum identifier ignored_any
    }
}

/// Hands on maps, and `null` as an empty one.
struct MapOrNull<V>(V);

impl<'de, V: Visitor<'de>> Visitor<'de> for MapOrNull<V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(map)
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_map(MapDeserializer::<_, E>::new(std::iter::empty::<(&str, &str)>()))
    }
}

/// Makes view types that derive their reader with `#[serde(remote = "Self")]` refuse lists.
macro_rules! maps_only {
    ($($view:ident),+ $(,)?) => {$(
        impl<'de: 'a, 'a> serde::Deserialize<'de> for $view<'a> {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                Self::deserialize($crate::kinds::shape::MapsOnly(deserializer))
            }
        }
    )+};
}

pub(crate) use maps_only;
