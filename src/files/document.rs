//! One document as a value, from YAML or JSON. If a mapping repeats a key, its last value counts, as in kubectl, and
//! the key is recorded.

use std::cell::RefCell;
use std::fmt;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// One document of a file.
#[derive(Debug)]
pub(super) struct Document {
    /// The content of the document. Each element of a top-level sequence `items` is packed into a string with its JSON,
    /// so that a list of many objects needs little more memory than its text.
    pub value: Value,
    /// The paths of the fields whose keys occur more than once in one mapping.
    pub repeated: Vec<String>,
}

/// The top-level field whose elements are packed into strings.
const ITEMS: &str = "items";

impl Document {
    /// Removes the elements of `items` and yields them as values, one at a time. `None` if the document has no such
    /// sequence.
    pub(super) fn take_items(&mut self) -> Option<impl Iterator<Item = Value> + use<>> {
        match self.value.get_mut(ITEMS) {
            Some(Value::Array(packed)) => Some(std::mem::take(packed).into_iter().map(unpack)),
            _ => None,
        }
    }

    /// The value of a document that is not a list of objects, with the elements of `items` unpacked.
    pub(super) fn into_value(mut self) -> Value {
        if let Some(items) = self.take_items() {
            let items = items.collect();
            self.value[ITEMS] = Value::Array(items);
        }
        self.value
    }
}

fn unpack(packed: Value) -> Value {
    packed.as_str().and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default()
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let repeated = RefCell::default();
        let value = Node { repeated: &repeated, part: DocumentPart::Top }.deserialize(deserializer)?;
        Ok(Self { value, repeated: repeated.into_inner() })
    }
}

/// The position of a value in its document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DocumentPart {
    /// The value is the whole document.
    Top,
    /// The value is the field `items` of the document.
    Items,
    /// The value is anywhere else.
    Below,
}

/// Deserializes one value and records the keys that its mappings repeat.
#[derive(Debug, Clone, Copy)]
struct Node<'n> {
    repeated: &'n RefCell<Vec<String>>,
    part: DocumentPart,
}

impl Node<'_> {
    /// Deserializes a child of this value with `read`, and prefixes the repeated fields that the child records with
    /// `step`.
    fn below<T, E>(
        self,
        part: DocumentPart,
        step: &dyn Fn() -> String,
        read: impl FnOnce(Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let before = self.repeated.borrow().len();
        let value = read(Self { part, ..self })?;
        for field in self.repeated.borrow_mut().iter_mut().skip(before) {
            let dot = if field.starts_with('[') { "" } else { "." };
            *field = format!("{}{dot}{field}", step());
        }
        Ok(value)
    }
}

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of YAML or JSON")
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("a number that JSON does not have"))
    }

    fn visit_i128<E: Error>(self, value: i128) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_u128<E: Error>(self, value: u128) -> Result<Value, E> {
        self.visit_f64(value as f64)
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_none<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.deserialize(deserializer)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        loop {
            let step = || format!("[{}]", values.len());
            let Some(value) = self.below(DocumentPart::Below, &step, |node| elements.next_element_seed(node))? else {
                break;
            };
            values.push(if self.part == DocumentPart::Items { Value::String(value.to_string()) } else { value });
        }
        values.shrink_to_fit();
        Ok(Value::Array(values))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut fields = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let part =
                if self.part == DocumentPart::Top && key == ITEMS { DocumentPart::Items } else { DocumentPart::Below };
            let value = self.below(part, &|| key.clone(), |node| entries.next_value_seed(node))?;
            if fields.contains_key(&key) {
                self.repeated.borrow_mut().push(key.clone());
            }
            fields.insert(key, value);
        }
        Ok(Value::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn last_value_of_a_duplicate_key_counts_and_is_noted() {
        let text = r#"{"a": 1, "b": [{"c": 1}, {"c": {"d": 2, "d": 3}, "c": 4}], "a": 2}"#;
        let document: Document = serde_json::from_str(text).expect("JSON");
        assert_eq!(document.value, json!({"a": 2, "b": [{"c": 1}, {"c": 4}]}));
        assert_eq!(document.repeated, ["b[1].c.d", "b[1].c", "a"]);
    }

    #[test]
    fn items_are_packed_and_come_out_as_they_went_in() {
        let value = json!({"kind": "List", "items": [{"items": [1]}, "text", null, 1.5]});
        let document: Document = serde_json::from_str(&value.to_string()).expect("JSON");
        assert!(document.value["items"][0].is_string());
        assert_eq!(document.into_value(), value);
    }
}
