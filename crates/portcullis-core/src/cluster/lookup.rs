//! What a look-up answers, and how much of a kind is known.

/// The result of looking up one object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup<T> {
    /// The object exists.
    Found(T),
    /// The object is known not to exist. Only this result may become a finding.
    Absent,
    /// The object may or may not exist.
    Unknown,
}

impl<T> Lookup<T> {
    /// The result, if there is one.
    pub fn found(self) -> Option<T> {
        match self {
            Self::Found(found) => Some(found),
            Self::Absent | Self::Unknown => None,
        }
    }

    /// The same answer, about what `part` takes of the object.
    pub fn map<P>(self, part: impl FnOnce(T) -> P) -> Lookup<P> {
        match self {
            Self::Found(object) => Lookup::Found(part(object)),
            Self::Absent => Lookup::Absent,
            Self::Unknown => Lookup::Unknown,
        }
    }
}

/// How much of one kind is known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SyncState {
    /// The first list of the kind has not arrived. It may not have been requested, because no check needs the kind yet.
    #[default]
    NotSynced,
    /// Every object of the kind is known.
    Complete,
    /// Some objects are known and others may exist. Manifests contain all objects of a kind in some namespaces at most.
    Partial,
    /// Lists and watches of the kind have failed for so long that the known objects were forgotten.
    Stale,
    /// Portcullis may not read the kind (RBAC).
    Forbidden,
    /// The API server does not serve the kind.
    NotServed,
}
