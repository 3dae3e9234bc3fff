//! The address of a field inside an object.
//!
//! Walkers yield [`At`], which is cheap to copy. It becomes a [`FieldPath`] only if something is found.

use std::borrow::Cow;
use std::fmt::{self, Write};
use std::hash::{Hash, Hasher};

use serde_json::Value;

/// The maximum number of list indexes in one address (`spec.rules[0].backendRefs[1].filters[2].requestMirror...`).
const DEPTH: usize = 4;

/// The capacity for the text of an address, in bytes, which suffices for most addresses.
const ORDINARY: usize = 64;

/// The address of an element: a pattern such as `spec.rules[].http.paths[]`, and an index for each `[]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct At {
    pattern: &'static str,
    indexes: [u32; DEPTH],
}

impl At {
    /// An address without list indexes, such as `spec.defaultBackend`.
    pub const fn field(pattern: &'static str) -> Self {
        Self { pattern, indexes: [0; DEPTH] }
    }

    /// An address in lists, with one index for each `[]` of the pattern, in order.
    ///
    /// ```
    /// use portcullis_core::field::At;
    ///
    /// let path = At::element("spec.rules[].http.paths[]", [0, 2]);
    /// assert_eq!(path.then("pathType").to_string(), "spec.rules[0].http.paths[2].pathType");
    /// assert_eq!(At::field("metadata.annotations").key("example.com/a").to_string(), "metadata.annotations[example.com/a]");
    /// ```
    #[inline]
    pub fn element<const N: usize>(pattern: &'static str, indexes: [usize; N]) -> Self {
        const { assert!(N <= DEPTH) };
        let mut all = [0; DEPTH];
        for (slot, index) in all.iter_mut().zip(indexes) {
            *slot = u32::try_from(index).unwrap_or(u32::MAX);
        }
        Self { pattern, indexes: all }
    }

    /// Whether this is an element of the lists of `pattern`.
    pub fn is_in(&self, pattern: &str) -> bool {
        self.pattern == pattern
    }

    /// The field `name` of the element at this address.
    pub fn then(self, name: &'static str) -> FieldPath {
        FieldPath::from(self).then(name)
    }

    /// The field `name` (or `a.b.c`) of the element at this address. This is cheap until it becomes a [`FieldPath`].
    pub const fn child(self, name: &'static str) -> Child {
        Child { at: self, name }
    }

    /// The entry `key` of the map at this address.
    pub fn key(self, key: &str) -> FieldPath {
        FieldPath::from(self).key(key)
    }
}

/// The address of a field of an element that a walker yields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Child {
    at: At,
    name: &'static str,
}

impl Child {
    /// The entry `key` of the map at this address.
    pub const fn entry(self, key: &str) -> MapEntry<'_> {
        MapEntry { map: self, key }
    }

    /// The element `index` of the list at this address.
    pub const fn element(self, index: usize) -> Element {
        Element { list: self, index }
    }
}

impl From<Child> for FieldPath {
    fn from(child: Child) -> Self {
        child.at.then(child.name)
    }
}

/// The address of an entry of a map, as a walker yields it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapEntry<'k> {
    map: Child,
    key: &'k str,
}

impl From<MapEntry<'_>> for FieldPath {
    fn from(entry: MapEntry<'_>) -> Self {
        Self::from(entry.map).key(entry.key)
    }
}

/// The address of an element of a list within an element that a walker yields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Element {
    list: Child,
    index: usize,
}

impl Element {
    /// The field `name` of the element.
    pub fn then(self, name: &'static str) -> FieldPath {
        FieldPath::from(self).then(name)
    }
}

impl From<Element> for FieldPath {
    fn from(element: Element) -> Self {
        Self::from(element.list).index(element.index)
    }
}

/// One segment of an address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A field by its JSON name.
    Field(Cow<'static, str>),
    /// An element of a list.
    Index(usize),
    /// An entry of a map, such as an annotation.
    Key(String),
}

/// The address of a field inside an object. It is formatted as in Kubernetes: `spec.rules[0].host`.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldPath(Vec<Segment>);

impl FieldPath {
    /// The field `name` (or `a.b.c`, field by field) below this address.
    pub fn then(mut self, names: &'static str) -> Self {
        self.0.extend(names.split('.').map(|name| Segment::Field(Cow::Borrowed(name))));
        self
    }

    /// The field `name` below this address.
    pub fn field(mut self, name: String) -> Self {
        self.0.push(Segment::Field(Cow::Owned(name)));
        self
    }

    /// The element `index` of the list at this address.
    pub fn index(mut self, index: usize) -> Self {
        self.0.push(Segment::Index(index));
        self
    }

    /// The field `name` of an object with unknown content. If no API could have a field of this name, it becomes a key.
    pub fn member(self, name: &str) -> Self {
        match name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            true => self.field(name.to_owned()),
            false => self.key(name),
        }
    }

    /// The entry `key` of the map at this address.
    pub fn key(mut self, key: &str) -> Self {
        self.0.push(Segment::Key(key.to_owned()));
        self
    }

    /// The segments from the object's root.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// The formatted address.
    pub fn text(&self) -> String {
        let mut text = String::with_capacity(ORDINARY);
        write!(text, "{self}").expect("memory takes every text");
        text
    }

    /// Whether the addresses are equal, or one of them is above the other.
    pub fn is_related(&self, other: &Self) -> bool {
        let mut pairs = self.0.iter().zip(&other.0);
        pairs.all(|(own, other)| match (own, other) {
            (Segment::Field(own), Segment::Key(other)) | (Segment::Key(other), Segment::Field(own)) => own == other,
            (own, other) => own == other,
        })
    }

    /// Feeds `hasher` with the parts that do not change when elements are reordered: the address with every list index
    /// set to 0.
    pub fn hash_without_indexes(&self, hasher: &mut impl Hasher) {
        self.0.len().hash(hasher);
        for segment in &self.0 {
            match segment {
                Segment::Index(_) => Segment::Index(0).hash(hasher),
                other => other.hash(hasher),
            }
        }
    }

    /// Whether this address is `other` or below it.
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.len() >= other.0.len() && self.is_related(other)
    }

    /// The address of the list that contains this element; `None` if the address is not that of a list element.
    pub fn list(&self) -> Option<&[Segment]> {
        match self.0.split_last() {
            Some((Segment::Index(_), list)) => Some(list),
            _ => None,
        }
    }

    /// The same address with these list indexes instead of its own, in order.
    pub fn with_indexes(&self, indexes: &[usize]) -> Self {
        let mut indexes = indexes.iter();
        let replaced = |segment: &Segment| match segment {
            Segment::Index(own) => Segment::Index(*indexes.next().unwrap_or(own)),
            other => other.clone(),
        };
        Self(self.0.iter().map(replaced).collect())
    }

    /// The address without its indexes, formatted as `spec.rules[].host`.
    pub fn pattern(&self) -> String {
        let mut pattern = String::with_capacity(ORDINARY);
        for segment in &self.0 {
            match segment {
                Segment::Field(name) if pattern.is_empty() => pattern.push_str(name),
                Segment::Field(name) => pattern.extend([".", name]),
                Segment::Index(_) => pattern.push_str("[]"),
                Segment::Key(key) => pattern.extend(["[", key, "]"]),
            }
        }
        pattern
    }

    /// The value at this address of an object.
    pub fn value<'v>(&self, object: &'v Value) -> Option<&'v Value> {
        self.0.iter().try_fold(object, |value, segment| match segment {
            Segment::Field(name) => value.get(&**name),
            Segment::Index(index) => value.get(*index),
            Segment::Key(key) => value.get(key),
        })
    }

    /// The address of the element of the list `field` that contains this address.
    pub fn until(&self, field: &str) -> Option<Self> {
        let is_field = |segment: &Segment| matches!(segment, Segment::Field(name) if name == field);
        let position = self.0.iter().position(is_field)?;
        Some(Self(self.0.get(..position + 2)?.to_vec()))
    }

    /// The same address with every list index set to 0.
    pub fn without_indexes(&self) -> Self {
        let blank = |segment: &Segment| match segment {
            Segment::Index(_) => Segment::Index(0),
            other => other.clone(),
        };
        Self(self.0.iter().map(blank).collect())
    }
}

impl From<At> for FieldPath {
    fn from(at: At) -> Self {
        let mut indexes = at.indexes.into_iter();
        let mut path = Self::default();
        for step in at.pattern.split('.').filter(|step| !step.is_empty()) {
            let name = step.trim_end_matches("[]");
            path.0.push(Segment::Field(Cow::Borrowed(name)));
            for index in indexes.by_ref().take((step.len() - name.len()) / 2) {
                path.0.push(Segment::Index(index as usize));
            }
        }
        path
    }
}

impl fmt::Display for FieldPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Field(name) if position == 0 => write!(f, "{name}")?,
                Segment::Field(name) => write!(f, ".{name}")?,
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) => write!(f, "[{key}]")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_prints_as_kubernetes_prints_it() {
        let path = At::element("spec.rules[].http.paths[]", [2, 10]);
        assert_eq!(path.then("backend.service.name").to_string(), "spec.rules[2].http.paths[10].backend.service.name");
        let annotations = At::field("metadata.annotations");
        assert_eq!(
            annotations.key("kubernetes.io/ingress.class").to_string(),
            "metadata.annotations[kubernetes.io/ingress.class]"
        );
        let map = At::field("spec").child("tls.options");
        assert_eq!(FieldPath::from(map.entry("example.com/a")).to_string(), "spec.tls.options[example.com/a]");
        let list = At::element("spec.rules[]", [1]).child("paths");
        assert_eq!(list.element(2).then("path").to_string(), "spec.rules[1].paths[2].path");
        assert_eq!(FieldPath::from(At::field("spec.tls[]")).index(1).to_string(), "spec.tls[0][1]");
    }

    #[test]
    fn addresses_sort_by_number_not_by_digits() {
        let second = FieldPath::from(At::element("spec.rules[]", [2]));
        let tenth = FieldPath::from(At::element("spec.rules[]", [10]));
        assert!(second < tenth);
        assert_eq!(second.without_indexes(), tenth.without_indexes());
    }
}
