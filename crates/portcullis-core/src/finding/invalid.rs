//! The fault in a single value, without its address.

use super::Cause;

/// The fault in a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// The kind of fault.
    pub cause: Cause,
    /// The template of the message, with a `{}` for each argument.
    pub template: &'static str,
    /// The arguments of the message, in order; if absent, the value itself.
    pub args: Option<Vec<String>>,
}

/// The result of a validator.
pub type Validity = Result<(), Invalid>;

/// A value that validators accept, and that can be rendered as text.
pub trait Value: Copy {
    /// The text of the value, which identifies the finding.
    fn text(self) -> String;
}

impl Value for &str {
    fn text(self) -> String {
        self.to_owned()
    }
}

impl Value for i64 {
    fn text(self) -> String {
        self.to_string()
    }
}

impl Value for usize {
    fn text(self) -> String {
        self.to_string()
    }
}

impl<V: Value> Value for Option<V> {
    fn text(self) -> String {
        self.map(V::text).unwrap_or_default()
    }
}
