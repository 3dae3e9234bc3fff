//! Configuration files as trees of YAML nodes with their positions, before they become typed values.
//!
//! The files of a folder are [merged](merge) as trees, so that no field needs a rule of its own, and [`recovery`] reads on
//! after a fault, so that all faults are reported together.

mod deserializer;
mod error;
mod load;
mod merge;
mod recovery;

use super::position::Position;

pub(super) use deserializer::SPANNED;
pub(super) use load::Loader;
pub use load::QUOTE_ALIAS;
pub(super) use merge::merge;
pub(super) use recovery::{Recovered, deserialize};

/// A node of a YAML document.
#[derive(Debug, Clone)]
pub(super) struct Node {
    /// Identifies the node among those of all files.
    id: usize,
    pub(super) at: Position,
    value: NodeValue,
}

#[derive(Debug, Clone)]
enum NodeValue {
    Scalar {
        text: String,
        /// Whether it is written without quotes, so that `true` is a boolean and `1` a number.
        is_plain: bool,
    },
    List(Vec<Node>),
    Map {
        entries: Vec<(Node, Node)>,
        /// The keys of entries that were removed because they are faulty.
        removed: Vec<String>,
    },
}

impl Node {
    /// The text of a scalar.
    pub(super) fn text(&self) -> Option<&str> {
        match &self.value {
            NodeValue::Scalar { text, .. } => Some(text),
            NodeValue::List(_) | NodeValue::Map { .. } => None,
        }
    }

    /// The value of a key of a map.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        let NodeValue::Map { entries, .. } = &self.value else { return None };
        entries.iter().find(|(own, _)| own.text() == Some(key)).map(|(_, value)| value)
    }

    /// Sets a key of a map to a text, in place of what is written.
    pub(super) fn set(&mut self, key: &str, text: &str) {
        let scalar = |text: &str| Self {
            // The nodes of files are counted from 1.
            id: 0,
            at: self.at.clone(),
            value: NodeValue::Scalar { text: text.to_owned(), is_plain: false },
        };
        let entry = (scalar(key), scalar(text));
        if let NodeValue::Map { entries, .. } = &mut self.value {
            entries.retain(|(own, _)| own.text() != Some(key));
            entries.push(entry);
        }
    }

    /// Whether it is a map.
    pub(super) fn is_map(&self) -> bool {
        matches!(self.value, NodeValue::Map { .. })
    }

    /// Whether nothing is written here: `~`, `null` or no text at all.
    fn is_null(&self) -> bool {
        matches!(&self.value, NodeValue::Scalar { text, is_plain: true } if matches!(&**text, "" | "~" | "null" | "Null" | "NULL"))
    }
}
