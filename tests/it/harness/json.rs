//! Values of JSON.

use serde_json::Value;

/// A value that must be a string.
#[track_caller]
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is not a string")).to_owned()
}
