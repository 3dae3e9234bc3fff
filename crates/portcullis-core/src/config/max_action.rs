//! The maximum action of findings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::finding::Action;

/// The strictest action that findings can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
pub enum MaxAction {
    /// What would be denied is a warning.
    Warn,
    /// Findings are denied as the checks say.
    Deny,
}

impl MaxAction {
    /// The action.
    pub const fn action(self) -> Action {
        match self {
            Self::Warn => Action::Warn,
            Self::Deny => Action::Deny,
        }
    }
}
