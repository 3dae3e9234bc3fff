//! The Services, by namespace and name.

use std::hash::BuildHasher;

use hashbrown::hash_table::{Entry, OccupiedEntry};
use hashbrown::{DefaultHashBuilder, HashTable};

use super::facts::ServiceFacts;

/// The Services by the hash of their namespace and name. The key is part of the facts and not stored again.
#[derive(Debug, Default)]
pub struct Services {
    table: HashTable<ServiceFacts>,
    hasher: DefaultHashBuilder,
}

impl Services {
    /// Adds or replaces a Service.
    pub fn put(&mut self, facts: ServiceFacts) {
        let Self { table, hasher } = self;
        let is_same = |own: &ServiceFacts| own.is_at(&facts.namespace, &facts.name);
        match table.entry(hash(hasher, &facts), is_same, |own| hash(hasher, own)) {
            Entry::Occupied(mut entry) => *entry.get_mut() = facts,
            Entry::Vacant(entry) => drop(entry.insert(facts)),
        }
    }

    /// Removes a Service.
    pub fn remove(&mut self, namespace: &str, name: &str) {
        let hash = self.hasher.hash_one((namespace, name));
        let entry = self.table.find_entry(hash, |facts| facts.is_at(namespace, name));
        drop(entry.map(OccupiedEntry::remove));
    }

    /// The Service with this namespace and name.
    pub fn get(&self, namespace: &str, name: &str) -> Option<&ServiceFacts> {
        self.table.find(self.hasher.hash_one((namespace, name)), |facts| facts.is_at(namespace, name))
    }

    /// All Services, unordered.
    pub fn iter(&self) -> impl Iterator<Item = &ServiceFacts> {
        self.table.iter()
    }

    /// The number of Services.
    pub fn count(&self) -> usize {
        self.table.len()
    }
}

fn hash(hasher: &DefaultHashBuilder, facts: &ServiceFacts) -> u64 {
    hasher.hash_one((&*facts.namespace, &*facts.name))
}
