//! Merges the documents of several files: maps by key, lists by appending. A scalar must be the same wherever it is set.

use super::{Node, NodeValue};
use crate::config::ConfigError;

/// Adds `other` to `node`, with the errors where the two contradict each other. `key` is the key of both.
pub(in crate::config) fn merge(node: &mut Node, other: Node, key: &str, errors: &mut Vec<ConfigError>) {
    let conflict = |before: &Node, message: String| {
        let before = before.at.seen_from(&other.at);
        ConfigError::new(format!("{message} {before}; set it once"), other.at.clone())
    };
    match (&node.value, &other.value) {
        (NodeValue::List(_), NodeValue::List(_)) | (NodeValue::Map { .. }, NodeValue::Map { .. }) => {}
        // A key without a value, such as one whose entries are commented out, sets nothing.
        _ if other.is_null() => return,
        _ if node.is_null() => {
            *node = other;
            return;
        }
        (NodeValue::Scalar { text: before, .. }, NodeValue::Scalar { text, .. }) => {
            if before != text {
                errors.push(conflict(node, format!("`{key}` is `{text}` here, but `{before}`")));
            }
            return;
        }
        _ => {
            errors.push(conflict(node, format!("`{key}` is written in another form")));
            return;
        }
    }
    match (&mut node.value, other.value) {
        (NodeValue::List(list), NodeValue::List(other)) => list.extend(other),
        (NodeValue::Map { entries, .. }, NodeValue::Map { entries: others, .. }) => {
            for (key, value) in others {
                match entries.iter_mut().find(|(own, _)| own.text() == key.text()) {
                    Some((key, own)) => merge(own, value, key.text().unwrap_or_default(), errors),
                    None => entries.push((key, value)),
                }
            }
        }
        _ => {}
    }
}
