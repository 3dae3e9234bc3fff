//! The content of one key of a Secret or a ConfigMap.

/// The content of one key of a Secret or a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataEntry<T> {
    /// The key is missing.
    Missing,
    /// The content is invalid for this key.
    Unreadable,
    /// The decoded content.
    Read(T),
}
