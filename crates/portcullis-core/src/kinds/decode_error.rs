//! Why JSON cannot be decoded as an object of its kind, described for its author. The address of a fault is determined
//! in a second pass, so that valid objects need only one.

use std::fmt;

use serde_path_to_error::Segment;

use crate::field::FieldPath;

/// A mismatch between JSON and the shape of a kind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DecodeError {
    /// The address of the field, as far as the decoder got.
    pub at: FieldPath,
    /// The decoder's message, without line and column, since the JSON was not written by hand.
    pub message: String,
}

/// Returns the decoder's error for the field at `path`.
pub(super) fn of_reader(path: &serde_path_to_error::Path, error: &serde_json::Error) -> DecodeError {
    DecodeError { at: address(path), message: message(error) }
}

/// Returns the decoder's error for the text as a whole.
pub(super) fn of_whole_text(error: &serde_json::Error) -> DecodeError {
    DecodeError { at: FieldPath::default(), message: message(error) }
}

/// Returns the error for an object in which at least `most` fields have the wrong type.
pub(super) fn too_many(most: usize) -> DecodeError {
    let message =
        format!("at least {most} fields have another type than the API declares, so nothing else was checked");
    DecodeError { at: FieldPath::default(), message }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.at.segments() {
            [] => f.write_str(&self.message),
            _ => write!(f, "{}: {}", self.at, self.message),
        }
    }
}

/// Converts the decoder's path to an address. A name that cannot be a field name is the key of a map.
fn address(path: &serde_path_to_error::Path) -> FieldPath {
    path.iter().fold(FieldPath::default(), |at, segment| match segment {
        Segment::Seq { index } => at.index(*index),
        Segment::Map { key } if key.bytes().all(|byte| byte.is_ascii_alphanumeric()) => at.field(key.clone()),
        Segment::Map { key } => at.key(key),
        Segment::Enum { .. } | Segment::Unknown => at,
    })
}

fn message(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.as_str(), |(message, _)| message).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinds::Kind;

    #[test]
    fn type_mismatch_is_reported_in_the_terms_of_the_api() {
        let cases = [
            (
                r#"{"metadata": {"annotations": {"a.com/b": true}}}"#,
                "metadata.annotations[a.com/b]: invalid type: boolean `true`, expected a string",
            ),
            (
                r#"{"metadata": {"annotations": 7}}"#,
                "metadata.annotations: invalid type: integer `7`, expected a map of strings",
            ),
            (r#"{"metadata": 7}"#, "metadata: invalid type: integer `7`, expected a map"),
            (
                r#"{"spec": {"rules": [{}, {"host": 7}]}}"#,
                "spec.rules[1].host: invalid type: integer `7`, expected a string",
            ),
            (
                r#"{"spec": {"defaultBackend": {"service": {"port": {"number": "80"}}}}}"#,
                "spec.defaultBackend.service.port.number: invalid type: string \"80\", expected a whole number",
            ),
            (r#"{"spec": []}"#, "spec: invalid type: sequence, expected a map"),
            (r#"{"spec": {"rules": [["a.com"]]}}"#, "spec.rules[0]: invalid type: sequence, expected a map"),
            ("[]", "invalid type: sequence, expected a map"),
            ("{} {}", "trailing characters"),
        ];
        for (json, expected) in cases {
            assert_eq!(DecodeError::of(Kind::Ingress, json).to_string(), expected, "{json}");
        }
    }
}
