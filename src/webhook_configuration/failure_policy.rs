//! The `failurePolicy` of an entry.

use std::fmt;

use serde_json::Value;

/// What the API server does with a write if the webhook does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailurePolicy {
    /// It denies the write.
    Fail,
    /// It admits the write.
    Ignore,
}

impl FailurePolicy {
    /// Whether an entry has this policy.
    pub fn is_of(self, entry: &Value) -> bool {
        entry["failurePolicy"] == self.name()
    }

    /// The value of the field.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fail => "Fail",
            Self::Ignore => "Ignore",
        }
    }
}

impl fmt::Display for FailurePolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
