//! Restricts decoders of view types to maps. Derived decoders also accept lists, and `null` is decoded as an empty map.

use std::fmt;

use serde::de::value::MapDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::forward_to_deserialize_any;

/// A deserializer that decodes structs only from maps. Derived decoders also accept a list of the fields in order, so
/// that `spec: []` would be an empty spec. `null` is passed on as an empty map, as Go decodes it into an element of a
/// list.
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

/// Passes on maps, and `null` as an empty map.
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

/// Makes view types that derive `Deserialize` with `#[serde(remote = "Self")]` reject lists.
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
