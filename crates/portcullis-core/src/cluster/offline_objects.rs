//! Objects of kinds that are read from files only. An API server is never asked for them.

use std::collections::BTreeSet;

use hashbrown::HashMap;

use super::Lookup;
use super::name::{Name, NameRef};

/// The objects of a kind that are known from files, by namespace and name. The default knows of none and that others may exist.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OfflineObjects<T> {
    objects: HashMap<Name, T>,
    /// Whether no others exist.
    is_complete: bool,
    /// The namespaces that contain no others.
    covered: BTreeSet<Box<str>>,
}

impl<T> Default for OfflineObjects<T> {
    fn default() -> Self {
        Self { objects: HashMap::new(), is_complete: false, covered: BTreeSet::new() }
    }
}

impl<T> OfflineObjects<T> {
    /// The objects of files that contain all objects of the cluster.
    pub fn all(objects: impl IntoIterator<Item = (Name, T)>) -> Self {
        Self { objects: objects.into_iter().collect(), is_complete: true, covered: BTreeSet::new() }
    }

    /// The objects of files that contain all those of the namespaces `covered`.
    pub fn of_namespaces(objects: impl IntoIterator<Item = (Name, T)>, covered: BTreeSet<Box<str>>) -> Self {
        Self { objects: objects.into_iter().collect(), is_complete: false, covered }
    }

    /// The same objects, beside which others may exist everywhere.
    pub fn among_others(self) -> Self {
        Self { objects: self.objects, ..Self::default() }
    }

    /// The object with this namespace and name.
    pub fn get(&self, namespace: &str, name: &str) -> Lookup<&T> {
        match self.objects.get(&NameRef(namespace, name)) {
            Some(object) => Lookup::Found(object),
            None if self.is_complete || self.covered.contains(namespace) => Lookup::Absent,
            None => Lookup::Unknown,
        }
    }

    /// The known objects.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.objects.values()
    }

    /// Whether no others exist, or one of the known ones is such an object, so that others of its kind are expected in files, too.
    pub fn would_hold(&self, is_such: impl Fn(&T) -> bool) -> bool {
        self.is_complete || self.objects.values().any(is_such)
    }
}
