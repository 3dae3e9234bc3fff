//! What a backend reference is for.

/// What a backend reference is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It answers requests of its rule.
    Answers,
    /// It gets a copy of them.
    Mirrors,
    /// It decides about them.
    Authorizes,
}
