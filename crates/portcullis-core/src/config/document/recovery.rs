//! Reads on after a fault: what is faulty is removed, and the rest is read again.

use serde::Deserialize;

use super::{Node, NodeValue};
use crate::config::ConfigError;

/// The largest number of faults that are reported. After as many, the file is hardly a configuration.
const MAX_ERRORS: usize = 100;

/// What could be read.
pub(in crate::config) struct Recovered<T> {
    /// The value, without the parts that contain a fault; `None` if it cannot be read even so.
    pub(in crate::config) value: Option<T>,
    /// The value, without the entries of the first two levels that contain a fault; `None` without a fault, or if it cannot be read.
    pub(in crate::config) sound: Option<T>,
    /// The entries of the first two levels that contain a fault, each as the keys that lead to it; of a list, without the second one.
    pub(in crate::config) faulty: Vec<Vec<String>>,
    /// All faults.
    pub(in crate::config) errors: Vec<ConfigError>,
}

/// Reads a value of which the entries of the first two levels are independent of each other.
pub(in crate::config) fn deserialize<T: for<'n> Deserialize<'n>>(root: &Node) -> Recovered<T> {
    let (mut errors, mut faulty, mut left, mut sound) = (Vec::new(), Vec::new(), root.clone(), root.clone());
    let mut value = None;
    while errors.len() < MAX_ERRORS {
        let error = match T::deserialize(&left) {
            Ok(read) => {
                value = Some(read);
                break;
            }
            Err(error) => error.at(root),
        };
        let Some((id, _)) = error.node else { break };
        let path = left.path_to(id);
        let mut meant = None;
        let follows = error.missing_field().is_some_and(|field| left.has_removed(id, field));
        if !follows {
            let parent = path.iter().rev().nth(1).and_then(|id| root.key_of(*id));
            let error = error.into_config_error(parent);
            meant.clone_from(&error.suggestion);
            errors.push(error);
        }
        // The path begins with the root, and a removal is of one of its entries.
        if path.len() < 2 || !left.remove(id, meant.as_deref()) {
            break;
        }
        sound.remove(path[2.min(path.len() - 1)], None);
        let keys = path.iter().skip(1).take(2).filter_map(|id| root.key_of(*id)).map(str::to_owned);
        faulty.push(meant.filter(|_| path.len() == 2).map_or_else(|| keys.collect(), |meant| vec![meant]));
    }
    let is_faulty = !faulty.is_empty();
    let sound = is_faulty.then(|| T::deserialize(&sound).ok()).flatten();
    Recovered { value, sound, faulty, errors }
}

impl Node {
    /// The ids of the nodes from the root to `id`; the key of an entry counts as the entry.
    fn path_to(&self, id: usize) -> Vec<usize> {
        if self.id == id {
            return vec![id];
        }
        let inside = |node: &Self| {
            let path = node.path_to(id);
            (!path.is_empty()).then(|| std::iter::once(self.id).chain(path).collect())
        };
        let found = match &self.value {
            NodeValue::Scalar { .. } => None,
            NodeValue::List(list) => list.iter().find_map(inside),
            NodeValue::Map { entries, .. } => {
                entries.iter().find_map(|(key, value)| inside(key).or_else(|| inside(value)))
            }
        };
        found.unwrap_or_default()
    }

    /// The key whose value is `id`.
    fn key_of(&self, id: usize) -> Option<&str> {
        match &self.value {
            NodeValue::Scalar { .. } => None,
            NodeValue::List(list) => list.iter().find_map(|node| node.key_of(id)),
            NodeValue::Map { entries, .. } => entries.iter().find_map(|(key, value)| match value.id == id {
                true => key.text(),
                false => value.key_of(id),
            }),
        }
    }

    /// Whether `field` was removed from the map `id`.
    fn has_removed(&self, id: usize, field: &str) -> bool {
        match &self.value {
            NodeValue::Scalar { .. } => false,
            NodeValue::List(list) => list.iter().any(|node| node.has_removed(id, field)),
            NodeValue::Map { removed, .. } if self.id == id => removed.iter().any(|key| key == field),
            NodeValue::Map { entries, .. } => entries.iter().any(|(_, value)| value.has_removed(id, field)),
        }
    }

    /// Removes the element of a list, or the entry of a map whose key or value is `id`, and which was `meant` to have another key.
    fn remove(&mut self, id: usize, meant: Option<&str>) -> bool {
        match &mut self.value {
            NodeValue::Scalar { .. } => false,
            NodeValue::List(list) => {
                let before = list.len();
                list.retain(|node| node.id != id);
                list.len() < before || list.iter_mut().any(|node| node.remove(id, meant))
            }
            NodeValue::Map { entries, removed } => {
                let is_meant = |(key, value): &(Self, Self)| key.id == id || value.id == id;
                let keys = entries.iter().filter(|entry| is_meant(entry)).filter_map(|(key, _)| key.text());
                let keys: Vec<String> = keys.map(str::to_owned).collect();
                entries.retain(|entry| !is_meant(entry));
                let is_removed = !keys.is_empty();
                if is_removed {
                    removed.extend(keys.into_iter().chain(meant.map(str::to_owned)));
                }
                is_removed || entries.iter_mut().any(|(_, value)| value.remove(id, meant))
            }
        }
    }
}
