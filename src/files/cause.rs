//! Why a document is not read.

/// Why a document is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnreadCause {
    /// The file or folder cannot be opened.
    NotOpened,
    /// It is not text.
    NotText,
    /// It is neither YAML nor JSON.
    Malformed,
    /// It is a template, not a manifest.
    Template,
    /// It is written for API servers of the past.
    RetiredVersion,
    /// It is not a whole object: `apiVersion` or `kind` is missing, or it is not a map.
    NoObject,
    /// Its kind, or its version, does not exist, but is like one that does.
    UnknownKind,
    /// Its object has no name.
    Nameless,
    /// Its object does not have the fields of its kind.
    WrongType,
    /// Its object is of a kind that no check is about, and there is none that could refer to it.
    LookedUp,
}

impl UnreadCause {
    /// The cause as a heading of a count.
    pub const fn label(self) -> &'static str {
        match self {
            Self::NotOpened => "cannot be opened",
            Self::NotText => "not UTF-8 text",
            Self::Malformed => "malformed YAML or JSON",
            Self::Template => "template that is not rendered",
            Self::RetiredVersion => "retired API version",
            Self::NoObject => "not an object with apiVersion and kind",
            Self::UnknownKind => "unknown kind or version",
            Self::LookedUp => "kind that is only looked up",
            Self::Nameless => "metadata.name missing",
            Self::WrongType => "field of the wrong type",
        }
    }
}
