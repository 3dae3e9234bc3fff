//! Decodes JSON as if the values at some addresses were `null`, so that an unreadable field does not hide the others.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, StringDeserializer};
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

use super::Text;
use crate::field::{FieldPath, Segment};

/// The addresses whose values are replaced by `null`.
#[derive(Debug, Default)]
pub(super) struct Mask {
    is_masked: bool,
    fields: Vec<(String, Mask)>,
    elements: BTreeMap<usize, Mask>,
}

impl Mask {
    /// Adds `at` to the mask. Returns false if it, or a value that contains it, was masked before.
    pub(super) fn add(&mut self, at: &FieldPath) -> bool {
        let mut here = self;
        for segment in at.segments() {
            if here.is_masked {
                return false;
            }
            here = match segment {
                Segment::Index(index) => here.elements.entry(*index).or_default(),
                Segment::Field(name) => here.field_mut(name),
                Segment::Key(name) => here.field_mut(name),
            };
        }
        !std::mem::replace(&mut here.is_masked, true)
    }

    fn field_mut(&mut self, name: &str) -> &mut Self {
        let position = self.fields.iter().position(|(own, _)| own == name).unwrap_or_else(|| {
            self.fields.push((name.to_owned(), Self::default()));
            self.fields.len() - 1
        });
        &mut self.fields[position].1
    }

    fn field(&self, name: &str) -> Option<&Self> {
        self.fields.iter().find(|(own, _)| own == name).map(|(_, mask)| mask)
    }
}

/// A deserializer, visitor, seed or access of JSON with a mask applied.
pub(super) struct Masked<'m, T> {
    inner: T,
    mask: &'m Mask,
}

impl<'m, T> Masked<'m, T> {
    pub(super) fn new(inner: T, mask: &'m Mask) -> Self {
        Self { inner, mask }
    }
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Masked<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        if self.mask.is_masked {
            self.inner.deserialize_ignored_any(IgnoredAny)?;
            return visitor.visit_unit();
        }
        self.inner.deserialize_any(Masked::new(visitor, self.mask))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        if self.mask.is_masked {
            self.inner.deserialize_ignored_any(IgnoredAny)?;
            return visitor.visit_none();
        }
        self.inner.deserialize_option(Masked::new(visitor, self.mask))
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_ignored_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct seq tuple
        tuple_struct map struct enum identifier
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Masked<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Masked::new(deserializer, self.mask))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<V::Value, E> {
        self.inner.visit_bool(value)
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<V::Value, E> {
        self.inner.visit_i64(number)
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<V::Value, E> {
        self.inner.visit_u64(number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<V::Value, E> {
        self.inner.visit_f64(number)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        self.inner.visit_str(text)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<V::Value, E> {
        self.inner.visit_borrowed_str(text)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        match self.mask.elements.is_empty() {
            true => self.inner.visit_seq(list),
            false => self.inner.visit_seq(MaskedList { inner: list, masks: &self.mask.elements, next: 0 }),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(MaskedMap { inner: map, mask: self.mask, next: None })
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Masked<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Masked::new(deserializer, self.mask))
    }
}

/// The elements of a list; `next` is the index of the next element.
struct MaskedList<'m, A> {
    inner: A,
    masks: &'m BTreeMap<usize, Mask>,
    next: usize,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for MaskedList<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let mask = self.masks.get(&self.next);
        self.next += 1;
        match mask {
            Some(mask) => self.inner.next_element_seed(Masked::new(seed, mask)),
            None => self.inner.next_element_seed(seed),
        }
    }
}

/// The entries of a map; `next` is the mask for the value of the last key.
struct MaskedMap<'m, A> {
    inner: A,
    mask: &'m Mask,
    next: Option<&'m Mask>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for MaskedMap<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let Some(Text(key)) = self.inner.next_key::<Text<'de>>()? else { return Ok(None) };
        self.next = self.mask.field(&key);
        match key {
            Cow::Borrowed(key) => seed.deserialize(BorrowedStrDeserializer::new(key)),
            Cow::Owned(key) => seed.deserialize(StringDeserializer::new(key)),
        }
        .map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        match self.next.take() {
            Some(mask) => self.inner.next_value_seed(Masked::new(seed, mask)),
            None => self.inner.next_value_seed(seed),
        }
    }
}
