//! Errors of the configuration, with their position and a suggestion.

use std::fmt;

use thiserror::Error;

use super::position::Position;
use crate::names::closest;

/// An error in the configuration; prints `line 3, column 5: unknown field ...; did you mean ...?`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{}{message}{}", place(.at), hint(.suggestion.as_deref(), .known))]
pub struct ConfigError {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub at: Position,
    /// The known word that is closest to the unknown one.
    pub suggestion: Option<String>,
    /// The words that could stand there instead of an unknown one.
    pub known: Vec<&'static str>,
    /// The unknown key, if it is in a map that is the value of a key.
    pub unknown_key: Option<Box<UnknownKey>>,
}

/// An unknown key in a map that is the value of another key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownKey {
    /// The key.
    pub written: String,
    /// The key whose value contains it.
    pub parent: String,
}

/// All errors of a configuration; prints each on a line.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct ConfigErrors(pub Vec<ConfigError>);

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl ConfigError {
    /// An error at a position.
    pub fn new(message: impl Into<String>, at: Position) -> Self {
        Self { message: message.into(), at, suggestion: None, known: Vec::new(), unknown_key: None }
    }

    /// An error about an unknown `what`, with the closest known word, and all known words if none is close.
    pub(super) fn unknown(what: &str, written: &str, known: &[&'static str], at: Position) -> Self {
        let error = Self::new(format!("unknown {what} `{written}`"), at);
        error.with_known(written, known.to_vec())
    }

    /// The same error, where `known` words could stand instead of `written`.
    pub fn with_known(self, written: &str, known: Vec<&'static str>) -> Self {
        Self { suggestion: suggestion(written, &known), known, ..self }
    }
}

/// The known word that `written` is probably meant to be; never one that says the opposite.
fn suggestion(written: &str, known: &[&'static str]) -> Option<String> {
    const NEGATIONS: [&str; 7] = ["not", "no", "non", "un", "except", "exclude", "without"];
    const SYNONYMS: [(&str, &str); 1] = [("matchLabels", "labels")];
    if let Some((_, word)) = SYNONYMS.iter().find(|(synonym, word)| *synonym == written && known.contains(word)) {
        return Some((*word).to_owned());
    }
    if let Some(word) = known.iter().find(|word| word.eq_ignore_ascii_case(written)) {
        return Some((*word).to_owned());
    }
    let closest = closest(written, known.iter().copied())?;
    let written = written.to_lowercase();
    let prefix = written.strip_suffix(&closest.to_lowercase()).map(|prefix| prefix.trim_end_matches(['-', '_']));
    (!prefix.is_some_and(|prefix| NEGATIONS.contains(&prefix))).then_some(closest)
}

fn place(at: &Position) -> String {
    if *at == Position::none() { String::new() } else { format!("{at}: ") }
}

fn hint(suggestion: Option<&str>, known: &[&'static str]) -> String {
    match suggestion {
        Some(word) => format!("; did you mean `{word}`?"),
        None if known.is_empty() => String::new(),
        None => format!("; use one of {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_opposite_is_not_suggested() {
        let suggested = |written, known: &[&'static str]| suggestion(written, known);
        assert_eq!(suggested("notUsers", &["users", "groups"]), None);
        assert_eq!(suggested("excludeNamespaces", &["namespaces"]), None);
        assert_eq!(suggested("namespace", &["namespaces"]).as_deref(), Some("namespaces"));
        assert_eq!(suggested("notName", &["names", "notNames"]).as_deref(), Some("notNames"));
        assert_eq!(suggested("matchLabels", &["labels", "matchExpressions"]).as_deref(), Some("labels"));
    }
}
