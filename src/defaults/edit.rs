//! One change at one address, and how changes become a JSON Patch that only adds and replaces (RFC 6902).

use json_patch::jsonptr::PointerBuf;
use json_patch::{AddOperation, PatchOperation};
use serde_json::{Map, Value};

use crate::field::{FieldPath, Segment};

/// A field that gets a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Which field.
    pub at: FieldPath,
    /// The value that it gets.
    pub value: Value,
}

/// What the defaulters did, and what they have to say.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// The changes, in order.
    pub edits: Vec<Edit>,
    /// Why something was not filled in.
    pub warnings: Vec<String>,
}

impl Edits {
    /// Gives the field `at` this value.
    pub fn set(&mut self, at: impl Into<FieldPath>, value: impl Into<Value>) {
        self.edits.push(Edit { at: at.into(), value: value.into() });
    }

    /// Tells the author something, in the name of the check or defaulter `id`.
    pub fn warn(&mut self, id: &str, words: impl std::fmt::Display) {
        self.warnings.push(format!("{words} [{id}]"));
    }

    /// The operations that make these changes to `object`, with the maps on the way to a field that are missing. A change that finds a
    /// list or a text where a map belongs is left out: it is not ours to repair.
    pub fn patch(&self, object: &Value) -> Vec<PatchOperation> {
        let mut state = object.clone();
        let mut operations = Vec::new();
        for edit in &self.edits {
            operations.extend(one(edit, &mut state).unwrap_or_default());
        }
        operations
    }
}

/// The operations of one change, which `state` has seen when this returns.
fn one(edit: &Edit, state: &mut Value) -> Option<Vec<PatchOperation>> {
    let (last, parents) = edit.at.segments().split_last()?;
    let (mut node, mut tokens, mut operations) = (state, Vec::new(), Vec::new());
    for segment in parents {
        tokens.push(token(segment));
        node = match segment {
            Segment::Index(index) => node.get_mut(index)?,
            Segment::Field(_) | Segment::Key(_) => {
                let map = node.as_object_mut()?;
                let child = map.entry(token(segment)).or_insert(Value::Null);
                if child.is_null() {
                    *child = Value::Object(Map::new());
                    operations.push(add(&tokens, child.clone()));
                }
                child
            }
        };
    }
    tokens.push(token(last));
    match last {
        Segment::Index(index) => *node.get_mut(index)? = edit.value.clone(),
        Segment::Field(_) | Segment::Key(_) => drop(node.as_object_mut()?.insert(token(last), edit.value.clone())),
    }
    operations.push(add(&tokens, edit.value.clone()));
    Some(operations)
}

/// `add` also replaces what is there (RFC 6902, 4.1).
fn add(tokens: &[String], value: Value) -> PatchOperation {
    PatchOperation::Add(AddOperation { path: PointerBuf::from_tokens(tokens), value })
}

fn token(segment: &Segment) -> String {
    match segment {
        Segment::Field(name) => name.to_string(),
        Segment::Index(index) => index.to_string(),
        Segment::Key(key) => key.clone(),
    }
}
