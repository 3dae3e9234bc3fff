//! Finds one field of a JSON map in its text without storing the rest.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::kinds::Text;

/// The text of the field `name` of the map in `json`; `None` if it is absent or `null`, which the API server treats as
/// absent.
pub fn field<'j>(json: &'j str, name: &str) -> Option<&'j str> {
    let mut reader = serde_json::Deserializer::from_str(json);
    let held = Field(name).deserialize(&mut reader).ok().flatten();
    held.map(RawValue::get).filter(|text| *text != "null")
}

/// Reads one field of a map. If a name occurs twice, the last one counts.
struct Field<'n>(&'n str);

impl<'de> DeserializeSeed<'de> for Field<'_> {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Field<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut held = None;
        while let Some(key) = map.next_key::<Text<'de>>()? {
            match *key == *self.0 {
                true => held = Some(map.next_value()?),
                false => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_found_by_its_name_alone() {
        let json = r#" {"a": {"b": 1}, "n": null, "\u0062": [2], "c": "x", "a": {"b": 2}} "#;
        let found = ["a", "b", "c", "n", "d", "x"].map(|name| field(json, name));
        assert_eq!(found, [Some(r#"{"b": 2}"#), Some("[2]"), Some(r#""x""#), None, None, None]);
        assert_eq!(["[]", "3", "", "{"].map(|json| field(json, "a")), [None; 4]);
    }
}
