//! A condition of a status, without the time of its last transition, which the writer adds.

use std::borrow::Cow;

use serde_json::{Map, Value, json};

/// The status of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ConditionStatus {
    /// `True`.
    True,
    /// `False`.
    False,
    /// `Unknown`: something that decides the condition is not known.
    Unknown,
}

impl ConditionStatus {
    /// The spelling in the API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

impl From<bool> for ConditionStatus {
    fn from(is_true: bool) -> Self {
        if is_true { Self::True } else { Self::False }
    }
}

/// A condition. Its generation is that of the whole [`DesiredStatus`](super::DesiredStatus).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// The type, such as `Accepted`.
    pub type_name: &'static str,
    /// Whether the condition holds.
    pub status: ConditionStatus,
    /// The reason in CamelCase.
    pub reason: Cow<'static, str>,
    /// The explanation for people.
    pub message: String,
    /// Further reasons that hold. The specification does not say which of them counts.
    pub other_reasons: Vec<&'static str>,
}

impl Condition {
    /// Returns a condition.
    pub fn new(
        type_name: &'static str,
        status: impl Into<ConditionStatus>,
        reason: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        let (status, reason, message) = (status.into(), reason.into(), message.into());
        Self { type_name, status, reason, message, other_reasons: Vec::new() }
    }

    /// The same condition, for which any of `reasons` holds.
    pub fn or_because(mut self, reasons: impl IntoIterator<Item = &'static str>) -> Self {
        for reason in reasons {
            if self.reason != reason && !self.other_reasons.contains(&reason) {
                self.other_reasons.push(reason);
            }
        }
        self
    }

    /// The fields of the condition in the API, without `lastTransitionTime`.
    pub fn fields(&self, generation: Option<i64>) -> Map<String, Value> {
        let mut fields = Map::new();
        fields.insert("type".to_owned(), json!(self.type_name));
        fields.insert("status".to_owned(), json!(self.status.name()));
        fields.insert("reason".to_owned(), json!(self.reason));
        fields.insert("message".to_owned(), json!(self.message));
        if let Some(generation) = generation {
            fields.insert("observedGeneration".to_owned(), json!(generation));
        }
        fields
    }
}

/// The conditions of one list that Portcullis decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Conditions {
    /// The conditions that must be in the list, in the order in which new ones are added.
    pub set: Vec<Condition>,
    /// The types that must not be in the list. Conditions of all other types are left as they are.
    pub cleared: Vec<&'static str>,
}

impl Conditions {
    /// Adds a condition.
    pub fn add(&mut self, condition: Condition) {
        self.set.push(condition);
    }

    /// Adds a condition that is only in the list while there is something to report, or removes it.
    pub fn add_or_clear(&mut self, type_name: &'static str, condition: Option<Condition>) {
        match condition {
            Some(condition) => self.set.push(condition),
            None => self.cleared.push(type_name),
        }
    }

    /// The condition of a type.
    pub fn get(&self, type_name: &str) -> Option<&Condition> {
        self.set.iter().find(|condition| condition.type_name == type_name)
    }
}

impl From<Vec<Condition>> for Conditions {
    fn from(set: Vec<Condition>) -> Self {
        Self { set, cleared: Vec::new() }
    }
}
