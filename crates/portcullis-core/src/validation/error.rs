//! What makes an object invalid, as the view keeps it.

use crate::finding::Finding;
use crate::kinds::DecodeError;
use crate::message::{render_with_path, truncate};

/// The most characters that are shown of why an object cannot be read.
const SHOWN: usize = 160;

/// The first error of an object: the rule that it breaks, and what is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectError {
    /// The id of the rule; `None` where the object cannot be read at all.
    pub rule: Option<&'static str>,
    /// Where, and what is wrong: on one line and of bounded length, whatever the object holds.
    pub message: Box<str>,
}

impl From<Finding> for ObjectError {
    fn from(finding: Finding) -> Self {
        Self { rule: Some(finding.check), message: render_with_path(&finding).into() }
    }
}

impl From<&DecodeError> for ObjectError {
    fn from(misfit: &DecodeError) -> Self {
        Self { rule: None, message: format!("cannot be read: {}", truncate(&misfit.to_string(), SHOWN)).into() }
    }
}
