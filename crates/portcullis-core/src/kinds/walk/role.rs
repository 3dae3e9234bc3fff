//! The purpose of a backend reference.

/// The purpose of a backend reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The backend serves the requests of its rule.
    Answers,
    /// The backend gets a copy of the requests.
    Mirrors,
    /// The backend authorizes the requests.
    Authorizes,
}
