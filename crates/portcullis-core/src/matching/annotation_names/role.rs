//! What an annotation is for.

/// What a difference in an annotation means to those who compare two sets of objects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Without it, something is less protected; the text says with what.
    Protects(&'static str),
    /// Which backend answers does not depend on it: it is about cookies, timeouts, further attempts, buffers, traces, or headers for
    /// browsers.
    Unchanging,
    /// Clients or backends get something else without it; the text says what it does.
    Acts(&'static str),
    /// It may change answers.
    Changing,
    /// No release of the controller reads it.
    Unread,
}

impl Role {
    /// Parses a role: a word, what the annotation does after `acts: `, or what it protects with.
    pub fn parse(text: &'static str) -> Self {
        match (text, text.strip_prefix("acts: ")) {
            ("" | "changing", _) => Self::Changing,
            ("unchanging", _) => Self::Unchanging,
            ("unread", _) => Self::Unread,
            (_, Some(what)) => Self::Acts(what),
            (with, None) => Self::Protects(with),
        }
    }
}
