//! Finds the fields of the same name in other elements of a list whose values have the same wrong type.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};

use super::{DecodeError, Text};
use crate::field::Segment;

/// The start of serde's message that a value has another type than its field.
const OTHER_TYPE: &str = "invalid type: ";
/// The text between the actual and the expected type in that message.
const EXPECTED: &str = ", expected ";

/// Returns `error` and each field of `json` with the same address apart from list indexes and with a value of the same
/// wrong type, in document order; `None` if there are more than `most`. If `error` is not a type error or not in a
/// list, only `error` itself is returned.
pub(super) fn alike(json: &str, error: DecodeError, most: usize) -> Option<Vec<DecodeError>> {
    let is_in_list = error.at.segments().iter().any(|segment| matches!(segment, Segment::Index(_)));
    let Some((written, expected)) =
        error.message.strip_prefix(OTHER_TYPE).and_then(|words| words.rsplit_once(EXPECTED))
    else {
        return Some(vec![error]);
    };
    if !is_in_list {
        return Some(vec![error]);
    }
    let mut search =
        Search { wanted: class(written), most, indexes: Vec::new(), found: Vec::new(), error: &error, expected };
    let mut reader = serde_json::Deserializer::from_str(json);
    // The decoder of the object reports text that is not valid JSON.
    Walk { search: &mut search, rest: error.at.segments() }.deserialize(&mut reader).ok()?;
    let found = search.found;
    match found.len() {
        0 => Some(vec![error]),
        number => (number <= most).then_some(found),
    }
}

/// The type in serde's message, which is its first word.
fn class(words: &str) -> &str {
    words.split(' ').next().unwrap_or_default()
}

/// The search and its results.
struct Search<'s> {
    /// The wrong type.
    wanted: &'s str,
    most: usize,
    /// The list indexes of the current element.
    indexes: Vec<usize>,
    found: Vec<DecodeError>,
    error: &'s DecodeError,
    expected: &'s str,
}

impl Search<'_> {
    /// Records a value at the end of the address.
    fn note(&mut self, value: &Unexpected<'_>) {
        let written = value.to_string();
        if class(&written) == self.wanted && self.found.len() <= self.most {
            let message = format!("{OTHER_TYPE}{written}{EXPECTED}{}", self.expected);
            self.found.push(DecodeError { at: self.error.at.with_indexes(&self.indexes), message });
        }
    }
}

/// One step of the traversal along an address.
struct Walk<'w, 's> {
    search: &'w mut Search<'s>,
    /// The remaining segments of the address.
    rest: &'w [Segment],
}

impl Walk<'_, '_> {
    fn end<E>(self, value: &Unexpected<'_>) -> Result<(), E> {
        if self.rest.is_empty() {
            self.search.note(value);
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for Walk<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.end(&Unexpected::Unit)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        self.end(&Unexpected::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.end(&Unexpected::Signed(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.end(&Unexpected::Unsigned(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        self.end(&Unexpected::Float(value))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<(), E> {
        self.end(&Unexpected::Str(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { search, rest } = self;
        let Some((Segment::Index(_), rest)) = rest.split_first() else {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            return Walk { search, rest }.end(&Unexpected::Seq);
        };
        search.indexes.push(0);
        while list.next_element_seed(Walk { search: &mut *search, rest })?.is_some() {
            search.indexes.last_mut().into_iter().for_each(|index| *index += 1);
        }
        search.indexes.pop();
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { search, rest } = self;
        let (name, below) = match rest.split_first() {
            Some((Segment::Field(name), below)) => (Some(&**name), below),
            Some((Segment::Key(name), below)) => (Some(&**name), below),
            Some((Segment::Index(_), _)) | None => (None, rest),
        };
        while let Some(Text(key)) = map.next_key::<Text<'de>>()? {
            match name == Some(&*key) {
                true => map.next_value_seed(Walk { search: &mut *search, rest: below })?,
                false => map.next_value::<IgnoredAny>().map(|_| ())?,
            }
        }
        Walk { search, rest }.end(&Unexpected::Map)
    }
}
