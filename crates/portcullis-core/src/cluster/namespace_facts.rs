//! The facts of a Namespace.

use crate::kinds::label_selector::NAMESPACE_NAME;

/// The facts of a Namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamespaceFacts {
    /// The name.
    pub name: Box<str>,
    /// The labels.
    pub labels: Box<[(Box<str>, Box<str>)]>,
}

impl NamespaceFacts {
    /// The facts of a Namespace with these labels, and with the one that the API server gives each Namespace.
    pub fn new(name: &str, labels: impl IntoIterator<Item = (Box<str>, Box<str>)>) -> Self {
        let own = (NAMESPACE_NAME.into(), name.into());
        let labels = labels.into_iter().filter(|(key, _)| **key != *NAMESPACE_NAME).chain([own]);
        Self { name: name.into(), labels: labels.collect() }
    }

    /// The value of the label `key`.
    pub fn label(&self, key: &str) -> Option<&str> {
        self.labels.iter().find(|(name, _)| &**name == key).map(|(_, value)| &**value)
    }
}
