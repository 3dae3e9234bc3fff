//! JSON schemas that are stricter than those for users.

use serde_json::Value;

/// Makes a schema refuse fields that it does not name.
pub fn close(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            if members.contains_key("properties") {
                members.insert("unevaluatedProperties".to_owned(), false.into());
            }
            members.values_mut().for_each(close);
        }
        Value::Array(elements) => elements.iter_mut().for_each(close),
        _ => {}
    }
}
