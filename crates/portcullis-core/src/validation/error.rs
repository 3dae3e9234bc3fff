//! The error that makes an object invalid, as the view stores it.

use crate::finding::Finding;
use crate::kinds::DecodeError;
use crate::message::{render_with_path, truncate};

/// The maximum number of characters of a decode error that are shown.
const SHOWN: usize = 160;

/// The first error of an object: the rule that it violates, and the fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectError {
    /// The id of the rule; `None` if the object cannot be decoded at all.
    pub rule: Option<&'static str>,
    /// The address and the fault, on one line and of bounded length regardless of the object.
    pub message: Box<str>,
}

impl From<Finding> for ObjectError {
    fn from(finding: Finding) -> Self {
        Self { rule: Some(finding.check), message: render_with_path(&finding).into() }
    }
}

impl From<&DecodeError> for ObjectError {
    fn from(error: &DecodeError) -> Self {
        Self { rule: None, message: format!("cannot be read: {}", truncate(&error.to_string(), SHOWN)).into() }
    }
}
