//! The reasons why a document is not read.

use portcullis_core::report::TEMPLATE;

/// The reason why a document, a file or a folder is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UnreadCause {
    /// The file or folder cannot be opened.
    NotOpened,
    /// A link leads out of the folders that are read.
    LinkOutside,
    /// The content is neither UTF-8 text nor UTF-16 text with a byte order mark.
    NotText,
    /// The content is neither YAML nor JSON.
    Malformed,
    /// The document is a template of Helm, OpenShift or ytt that is not rendered.
    Template,
    /// No current API server serves the API version of the object.
    RetiredVersion,
    /// The installed CRDs do not serve the API version of the object.
    UnservedVersion,
    /// The document is not a complete object: `apiVersion` or `kind` is missing, or the document is not a mapping.
    NoObject,
    /// The kind or its version does not exist, but resembles one that does.
    UnknownKind,
    /// The object has no name.
    Nameless,
    /// A field of the object has the wrong type, so the object cannot be decoded as its kind.
    WrongType,
    /// The tool that builds manifests from the folder failed.
    NotBuilt,
    /// The tool built no object from the folder.
    NothingBuilt,
    /// The object is also defined elsewhere, with other content, and that definition is the one that counts.
    OtherDefinition,
    /// A cause that this release does not know, in a snapshot of another one.
    Other,
}

impl UnreadCause {
    /// The cause as a heading over the number of documents with this cause.
    pub const fn label(self) -> &'static str {
        match self {
            Self::NotOpened => "cannot be opened",
            Self::LinkOutside => "link out of the folder",
            Self::NotText => "not UTF-8 text",
            Self::Malformed => "malformed YAML or JSON",
            Self::Template => TEMPLATE,
            Self::RetiredVersion => "retired API version",
            Self::UnservedVersion => "API version that is not served",
            Self::NoObject => "not an object with apiVersion and kind",
            Self::UnknownKind => "unknown kind or version",
            Self::NotBuilt => "cannot be built",
            Self::NothingBuilt => "nothing is built",
            Self::Nameless => "metadata.name missing",
            Self::WrongType => "field of the wrong type",
            Self::OtherDefinition => "defined more than once",
            Self::Other => "not read",
        }
    }

    /// The cause with this label.
    pub fn of_label(label: &str) -> Self {
        Self::ALL.into_iter().find(|cause| cause.label() == label).unwrap_or(Self::Other)
    }

    /// All causes.
    const ALL: [Self; 15] = [
        Self::NotOpened,
        Self::LinkOutside,
        Self::NotText,
        Self::Malformed,
        Self::Template,
        Self::RetiredVersion,
        Self::UnservedVersion,
        Self::NoObject,
        Self::UnknownKind,
        Self::Nameless,
        Self::WrongType,
        Self::NotBuilt,
        Self::NothingBuilt,
        Self::OtherDefinition,
        Self::Other,
    ];
}
