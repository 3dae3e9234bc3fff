//! Secrets and ConfigMaps that are neither listed nor watched: each is read by its name, because a status refers to it.

use super::{ConfigMapFacts, DataEntry, SecretFacts};

/// What is kept of an object that was read. It has no room for the content of a Secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadFacts {
    /// Of a Secret.
    Secret(SecretFacts),
    /// Of a ConfigMap.
    ConfigMap(ConfigMapFacts),
}

impl ReadFacts {
    /// Whether the object can be used as a certificate with its key, or as an authority.
    pub fn are_usable(&self) -> bool {
        match self {
            Self::Secret(facts) => facts.speaks_tls() || facts.authority == DataEntry::Read(()),
            Self::ConfigMap(facts) => facts.authority == DataEntry::Read(()),
        }
    }
}

/// What reading an object by its name has shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadObject {
    /// It exists.
    Found(ReadFacts),
    /// It does not exist.
    Absent,
    /// It could not be read.
    Unreadable(ReadFailure),
}

/// Why an object could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadFailure {
    /// The right to read it is missing (RBAC).
    Forbidden,
    /// The API server has failed to return it several times.
    Failed,
    /// More objects are referred to than are read.
    OverLimit,
}

#[cfg(test)]
mod tests {
    use super::super::{Cluster, Event, Lookup, Overlay, ReadKey, Reads, SyncState};
    use super::*;

    #[test]
    fn only_a_status_sees_what_was_read_by_name() {
        let mut cluster = Cluster::with(SyncState::Complete);
        cluster.track_changes();
        cluster.take_changes();
        let key = ReadKey::ConfigMap(("web".into(), "ca".into()));
        let facts = ConfigMapFacts { authority: DataEntry::Read(()), settings: Box::default() };
        let found = || Event::Read(key.clone(), Some(ReadObject::Found(ReadFacts::ConfigMap(facts.clone()))));
        cluster.apply(found());
        assert_eq!(cluster.take_changes().keys.into_iter().collect::<Vec<_>>(), std::slice::from_ref(&key));
        cluster.apply(found());
        assert!(!cluster.has_changes(), "a read that shows the same changes nothing");

        let (of_check, reads) = (Overlay::of_all(&cluster), Reads::default());
        let of_status = of_check.recording(&reads);
        assert_eq!(of_check.config_map("web", "ca"), Lookup::Unknown);
        assert_eq!(of_status.config_map("web", "ca"), Lookup::Found(&facts));
        assert_eq!(of_status.secret("web", "ca"), Lookup::Unknown);
        assert!(reads.into_keys().contains(&key));

        for (read, expected) in [
            (Some(ReadObject::Absent), (Lookup::Absent, None)),
            (Some(ReadObject::Unreadable(ReadFailure::Forbidden)), (Lookup::Unknown, Some(ReadFailure::Forbidden))),
            (None, (Lookup::Unknown, None)),
        ] {
            cluster.apply(Event::Read(key.clone(), read));
            let reads = Reads::default();
            let overlay = Overlay::of_all(&cluster).recording(&reads);
            assert_eq!((overlay.config_map("web", "ca"), overlay.read_failure(&key)), expected);
        }
    }
}
