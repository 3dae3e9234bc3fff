//! Reads typed values from nodes.

use serde::de::{DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::error::NodeError;
use super::{Node, NodeValue};

/// The name of the newtype that asks for a value with its position: file (empty for none), line, column, value.
pub(in crate::config) const SPANNED: &str = "$portcullis::Spanned";

/// A value with its position, as a sequence of four.
struct SpannedAccess<'de> {
    node: &'de Node,
    next: usize,
}

/// The entries of a map.
struct Entries<'de> {
    entries: std::slice::Iter<'de, (Node, Node)>,
    value: Option<&'de Node>,
}

impl<'de> Node {
    fn scalar(&'de self, expected: &str) -> Result<&'de str, NodeError> {
        match &self.value {
            NodeValue::Scalar { text, .. } if !self.is_null() => Ok(text),
            _ => Err(NodeError::new(format!("must be {expected}")).at(self)),
        }
    }

    /// The text, if it is written without quotes.
    fn plain(&'de self) -> Option<&'de str> {
        match &self.value {
            NodeValue::Scalar { text, is_plain: true } => Some(text),
            _ => None,
        }
    }
}

/// Reads a whole number, which must be written without quotes.
macro_rules! whole_number {
    ($($method:ident $visit:ident $type:ty,)+) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NodeError> {
            let number = self.plain().and_then(|text| text.parse::<$type>().ok());
            let number = number.ok_or_else(|| NodeError::new("must be a whole number from 0").at(self))?;
            visitor.$visit(number)
        })+
    };
}

impl<'de> Deserializer<'de> for &'de Node {
    type Error = NodeError;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NodeError> {
        match &self.value {
            NodeValue::List(_) => self.deserialize_seq(visitor),
            NodeValue::Map { .. } => self.deserialize_map(visitor),
            NodeValue::Scalar { .. } if self.is_null() => visitor.visit_unit(),
            NodeValue::Scalar { text, is_plain: false } => visitor.visit_borrowed_str(text),
            NodeValue::Scalar { text, is_plain: true } => match &**text {
                "true" => visitor.visit_bool(true),
                "false" => visitor.visit_bool(false),
                text => match (text.parse::<u64>(), text.parse::<i64>()) {
                    (Ok(number), _) => visitor.visit_u64(number),
                    (_, Ok(number)) => visitor.visit_i64(number),
                    _ => visitor.visit_borrowed_str(text),
                },
            },
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NodeError> {
        match self.plain() {
            Some("true") => visitor.visit_bool(true),
            Some("false") => visitor.visit_bool(false),
            _ => Err(NodeError::new("must be `true` or `false`").at(self)),
        }
    }

    whole_number! {
        deserialize_u8 visit_u8 u8,
        deserialize_u16 visit_u16 u16,
        deserialize_u32 visit_u32 u32,
        deserialize_u64 visit_u64 u64,
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NodeError> {
        visitor.visit_borrowed_str(self.scalar("a text")?)
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NodeError> {
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NodeError> {
        if self.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NodeError> {
        match &self.value {
            NodeValue::List(list) => visitor.visit_seq(ListAccess(list.iter())),
            NodeValue::Scalar { .. } if self.is_null() => visitor.visit_seq(ListAccess([].iter())),
            _ => Err(NodeError::new("must be a list, such as `[infra]`").at(self)),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, NodeError> {
        match &self.value {
            NodeValue::Map { entries, .. } => visitor.visit_map(Entries { entries: entries.iter(), value: None }),
            NodeValue::Scalar { .. } if self.is_null() => {
                visitor.visit_map(Entries { entries: [].iter(), value: None })
            }
            _ => Err(NodeError::new("must be a map, such as `{key: value}`").at(self)),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NodeError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, NodeError> {
        let text = self.scalar(&format!("one of {}", words.join(", ")))?;
        visitor.visit_enum(IntoDeserializer::<NodeError>::into_deserializer(text))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, NodeError> {
        if name == SPANNED {
            visitor.visit_seq(SpannedAccess { node: self, next: 0 })
        } else {
            visitor.visit_newtype_struct(self)
        }
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i64 i128 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct ignored_any
    }
}

/// The elements of a list.
struct ListAccess<'de>(std::slice::Iter<'de, Node>);

impl<'de> SeqAccess<'de> for ListAccess<'de> {
    type Error = NodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, NodeError> {
        let Some(node) = self.0.next() else { return Ok(None) };
        seed.deserialize(node).map(Some).map_err(|error| error.at(node))
    }
}

impl<'de> MapAccess<'de> for Entries<'de> {
    type Error = NodeError;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, NodeError> {
        let Some((key, value)) = self.entries.next() else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(key).map(Some).map_err(|error| error.at(key))
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, NodeError> {
        let value = self.value.take().ok_or_else(|| NodeError::new("a value is read before its key"))?;
        seed.deserialize(value).map_err(|error| error.at(value))
    }
}

impl<'de> SeqAccess<'de> for SpannedAccess<'de> {
    type Error = NodeError;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, NodeError> {
        let at = &self.node.at;
        self.next += 1;
        match self.next {
            1 => seed.deserialize(at.file.as_deref().unwrap_or_default().into_deserializer()).map(Some),
            2 => seed.deserialize(at.line.into_deserializer()).map(Some),
            3 => seed.deserialize(at.column.into_deserializer()).map(Some),
            4 => seed.deserialize(self.node).map(Some),
            _ => Ok(None),
        }
    }
}
