//! What is wrong with one value, before it is known where the value is.

use super::Cause;

/// What is wrong with a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// Which kind of fault.
    pub cause: Cause,
    /// The message, with `{}` for each text that is shown.
    pub template: &'static str,
    /// What is shown in place of the value, in order.
    pub args: Option<Vec<String>>,
}

/// What a validator returns.
pub type Validity = Result<(), Invalid>;

/// A value that a validator can look at, with the text that identifies it.
pub trait Value: Copy {
    /// The value as it is shown.
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
