//! Errors of the configuration file, with their position and a suggestion.

use thiserror::Error;

use crate::names::closest;

/// An error in the configuration; prints `line 3, column 5: unknown field ...; did you mean ...?`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{message}{}", place(*.line, *.column), hint(.suggestion.as_deref()))]
pub struct ConfigError {
    /// What is wrong.
    pub message: String,
    /// The line, from 1; 0 for a value that does not come from a file.
    pub line: u64,
    /// The column, from 1.
    pub column: u64,
    /// The known word that is closest to the unknown one.
    pub suggestion: Option<String>,
}

impl ConfigError {
    /// Converts an error of the YAML parser.
    pub(super) fn of_yaml(error: serde_saphyr::Error) -> Self {
        let (line, column) = error.location().map_or((1, 1), |place| (place.line(), place.column()));
        let error = error.without_snippet();
        let (message, suggestion) = match error {
            serde_saphyr::Error::SerdeUnknownField { field, expected, .. } => {
                (format!("unknown field `{field}`"), closest(field, expected.iter().copied()))
            }
            serde_saphyr::Error::SerdeUnknownVariant { variant, expected, .. } => {
                (format!("unknown value `{variant}`"), closest(variant, expected.iter().copied()))
            }
            serde_saphyr::Error::DuplicateMappingKey { key: Some(key), .. } => (format!("duplicate key `{key}`"), None),
            serde_saphyr::Error::InvalidBooleanStrict { .. } => ("must be `true` or `false`".to_owned(), None),
            serde_saphyr::Error::Unexpected { expected: "mapping start", .. } => {
                ("must be a map, such as `{key: value}`".to_owned(), None)
            }
            serde_saphyr::Error::Unexpected { expected: "sequence start", .. } => {
                ("must be a list, such as `[infra]`".to_owned(), None)
            }
            serde_saphyr::Error::InvalidScalar { ty: "u8" | "u16" | "u32" | "u64", .. } => {
                ("must be a whole number from 0".to_owned(), None)
            }
            other => (without_place(&other.to_string()), None),
        };
        Self { message, line, column, suggestion }
    }
}

/// The message of the parser without its position, which this error prints in front.
fn without_place(text: &str) -> String {
    text.rsplit_once(" at line ").map_or(text, |(words, _)| words).to_owned()
}

fn place(line: u64, column: u64) -> String {
    if line == 0 { String::new() } else { format!("line {line}, column {column}: ") }
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map(|word| format!("; did you mean `{word}`?")).unwrap_or_default()
}
