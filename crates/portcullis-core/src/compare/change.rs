//! What differs between two answers.

/// What differs, the worst first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangeKind {
    /// Something that protects the backend is absent afterwards.
    Protection,
    /// Nothing answers afterwards.
    Unanswered,
    /// Something answers only afterwards.
    Answered,
    /// The client gets another kind of reply, status code or location.
    Reply,
    /// Other backends answer, or with other shares.
    Backends,
    /// The backends get another path, host or header, or the client another header.
    Rewrite,
    /// Other backends get copies.
    Mirrors,
    /// The timeouts differ.
    Timeouts,
    /// Something else may differ, which is not known.
    Unknown,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Change {
    /// What differs.
    pub kind: ChangeKind,
    /// How, as text.
    pub text: String,
}

/// Whether the answers to a request differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// They do not.
    Same,
    /// They do.
    Different(Vec<Change>),
    /// It is not known; each text says why.
    Unknown(Vec<String>),
}
