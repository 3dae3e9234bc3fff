//! A change of the view.

use std::collections::BTreeSet;

use super::{ConfigMapFacts, Facts, OfflineObjects, ReadKey, ReadObject, SecretFacts, SyncState};
use crate::bundle::InstalledSchema;
use crate::kinds::{Kind, ObjectRef};

/// A change of the view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// An object was created or changed.
    Apply(Facts),
    /// An object was deleted.
    Delete(ObjectRef),
    /// The knowledge of a kind changed.
    SyncState(Kind, SyncState),
    /// The schema of a kind that is installed as a CRD changed; `None` if the API server does not report bundle and
    /// channel.
    Schema(Kind, Option<InstalledSchema>),
    /// The namespaces in which every object of a kind is known although objects of other namespaces are not.
    Covered(Kind, BTreeSet<Box<str>>),
    /// The Secrets in files.
    Secrets(OfflineObjects<SecretFacts>),
    /// The ConfigMaps in files.
    ConfigMaps(OfflineObjects<ConfigMapFacts>),
    /// What reading a Secret or a ConfigMap by its name has shown; `None` to forget it.
    Read(ReadKey, Option<ReadObject>),
}

impl Event {
    /// The number of entries that the view stores for this event.
    pub(super) fn entries(&self) -> usize {
        match self {
            Self::Apply(facts) => facts.entries(),
            Self::Delete(_)
            | Self::SyncState(..)
            | Self::Schema(..)
            | Self::Covered(..)
            | Self::Secrets(..)
            | Self::ConfigMaps(..)
            | Self::Read(..) => 0,
        }
    }
}
