//! A position in a configuration file.

use std::fmt;
use std::sync::Arc;

/// A line and a column, both from 1, in a file; the line is 0 for what does not come from a file.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// The file; `None` if there is only one.
    pub file: Option<Arc<str>>,
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

impl Position {
    /// Returns the position of what does not come from a file.
    pub const fn none() -> Self {
        Self { file: None, line: 0, column: 0 }
    }

    /// How a message at `other` refers to this position: `at line 3`, or `in teams/a.yaml at line 3`.
    pub fn seen_from(&self, other: &Self) -> String {
        match &self.file {
            Some(file) if self.file != other.file => format!("in {file} at line {}", self.line),
            _ => format!("at line {}", self.line),
        }
    }
}

impl fmt::Display for Position {
    /// Prints `teams/a.yaml: line 3, column 5`, or what is known of it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.file, self.line) {
            (None, 0) => Ok(()),
            (Some(file), 0) => f.write_str(file),
            (None, _) => write!(f, "line {}, column {}", self.line, self.column),
            (Some(file), _) => write!(f, "{file}: line {}, column {}", self.line, self.column),
        }
    }
}
