//! The fields of the same name in the other elements of a list whose values are of the same wrong type.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};

use super::{DecodeError, Text};
use crate::field::Segment;

/// How the reader begins to say that a value is of another type than its field.
const OTHER_TYPE: &str = "invalid type: ";
/// What it says between the type that there is and the one that is wanted.
const EXPECTED: &str = ", expected ";

/// `misfit`, and each field of `json` with the same address but for list indexes whose value has the same type, in the order of the text;
/// none where there are more than `most`. Of a value whose type is right only `misfit` itself.
pub(super) fn alike(json: &str, misfit: DecodeError, most: usize) -> Option<Vec<DecodeError>> {
    let is_in_list = misfit.at.segments().iter().any(|segment| matches!(segment, Segment::Index(_)));
    let Some((written, expected)) = misfit.words.strip_prefix(OTHER_TYPE).and_then(|words| words.rsplit_once(EXPECTED))
    else {
        return Some(vec![misfit]);
    };
    if !is_in_list {
        return Some(vec![misfit]);
    }
    let mut search =
        Search { wanted: class(written), most, indexes: Vec::new(), found: Vec::new(), misfit: &misfit, expected };
    let mut reader = serde_json::Deserializer::from_str(json);
    // What is no JSON as a whole is told by the reader of the object.
    Walk { search: &mut search, rest: misfit.at.segments() }.deserialize(&mut reader).ok()?;
    let found = search.found;
    match found.len() {
        0 => Some(vec![misfit]),
        number => (number <= most).then_some(found),
    }
}

/// The type in the reader's words: the first of them.
fn class(words: &str) -> &str {
    words.split(' ').next().unwrap_or_default()
}

/// What is looked for, and what was found.
struct Search<'s> {
    /// The type that is wrong.
    wanted: &'s str,
    most: usize,
    /// The elements in which the walk is.
    indexes: Vec<usize>,
    found: Vec<DecodeError>,
    misfit: &'s DecodeError,
    expected: &'s str,
}

impl Search<'_> {
    /// Notes a value that stands at the end of the address.
    fn note(&mut self, value: &Unexpected<'_>) {
        let written = value.to_string();
        if class(&written) == self.wanted && self.found.len() <= self.most {
            let words = format!("{OTHER_TYPE}{written}{EXPECTED}{}", self.expected);
            self.found.push(DecodeError { at: self.misfit.at.with_indexes(&self.indexes), words });
        }
    }
}

/// One step of the walk along an address.
struct Walk<'w, 's> {
    search: &'w mut Search<'s>,
    /// What is still in front.
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
