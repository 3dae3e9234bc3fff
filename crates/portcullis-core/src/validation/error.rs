//! What makes an object invalid, as the view keeps it.

use crate::finding::Finding;
use crate::kinds::Misfit;
use crate::sentence::{brief, reason};

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
        Self { rule: Some(finding.check), message: reason(&finding).into() }
    }
}

impl From<&Misfit> for ObjectError {
    fn from(misfit: &Misfit) -> Self {
        Self { rule: None, message: format!("cannot be read: {}", brief(&misfit.to_string(), SHOWN)).into() }
    }
}
