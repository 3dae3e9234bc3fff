//! A change of a single field, and the JSON Patch (RFC 6902) for a list of changes. The patch only adds and replaces.

use std::borrow::Cow;

use json_patch::jsonptr::PointerBuf;
use json_patch::{AddOperation, PatchOperation};
use serde_json::{Map, Value};

use super::raw_field::field;
use crate::field::{At, FieldPath, Segment};
use crate::finding::Findings;
use crate::message::{Disclosure, render_warning};

/// A field that gets a value. It stores a compact address instead of a path, since an object may have tens of thousands
/// of edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    parent: At,
    last: Segment,
    /// The new value.
    pub value: Cow<'static, str>,
}

impl Edit {
    /// The address of the field.
    pub fn at(&self) -> FieldPath {
        match &self.last {
            Segment::Field(name) => FieldPath::from(self.parent).field(name.to_string()),
            Segment::Key(key) => self.parent.key(key),
            Segment::Index(index) => FieldPath::from(self.parent).index(*index),
        }
    }
}

/// The edits and the warnings of the defaulters.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Edits {
    /// The edits, in order.
    pub edits: Vec<Edit>,
    /// Warnings about fields that were not filled in.
    pub warnings: Vec<String>,
}

impl Edits {
    /// Sets the field `name` of the map at `parent`.
    pub fn set(&mut self, parent: At, name: &'static str, value: impl Into<Cow<'static, str>>) {
        self.edits.push(Edit { parent, last: Segment::Field(name.into()), value: value.into() });
    }

    /// Sets the entry `key` of the map at `parent`.
    pub fn set_key(&mut self, parent: At, key: &str, value: impl Into<Cow<'static, str>>) {
        self.edits.push(Edit { parent, last: Segment::Key(key.to_owned()), value: value.into() });
    }

    /// Adds a warning with the id of a check or defaulter.
    pub fn warn(&mut self, id: &str, words: impl std::fmt::Display) {
        self.warnings.push(format!("{words} [{id}]"));
    }

    /// Adds the findings of `report` as warnings of the check `id`, with the same messages as the check.
    pub fn warn_like(&mut self, id: &'static str, report: impl FnOnce(&mut Findings<'_>)) {
        let mut found = Vec::new();
        report(&mut Findings::of(id, &mut found));
        self.warnings.extend(found.iter().map(|finding| render_warning(finding, Disclosure::All)));
    }

    /// The patch operations for these edits of the object in `json`. Missing maps on the path to a field are added. An
    /// edit is left out if the path leads through a list or a text instead of a map, because repairing that is not the
    /// task of a defaulter. Nothing of the object is copied.
    pub fn patch<'e>(&'e self, json: &'e str) -> impl Iterator<Item = PatchOperation> + use<'e> {
        let mut maps = Maps { json: json.trim_start(), known: Vec::new() };
        self.edits.iter().flat_map(move |edit| maps.operations(edit).unwrap_or_default())
    }
}

/// The maps on the paths to the edited fields. Each is looked up in the text only once.
struct Maps<'e> {
    json: &'e str,
    /// The path of a value, and its text; `{}` for a map that an operation adds.
    known: Vec<(Vec<Segment>, &'e str)>,
}

impl<'e> Maps<'e> {
    /// The operations of one edit.
    fn operations(&mut self, edit: &Edit) -> Option<Vec<PatchOperation>> {
        let (at, mut operations) = (edit.at(), Vec::new());
        let segments = at.segments();
        let mut text = self.json;
        for (position, segment) in segments.iter().enumerate() {
            // Addresses with list indexes come from walkers, which have visited the element, so no map is missing below
            // it.
            if matches!(segment, Segment::Index(_)) {
                text = "{";
                break;
            }
            if !text.starts_with('{') {
                return None;
            }
            let steps = &segments[..=position];
            if steps.len() < segments.len() {
                text = self.value(steps, text, &mut operations);
            }
        }
        if !text.starts_with('{') {
            return None;
        }
        operations.push(add(segments, Value::from(&*edit.value)));
        Some(operations)
    }

    /// The text of the value at `steps`, where `parent` is the text of the map that contains it. A missing value is
    /// added as a map.
    fn value(&mut self, steps: &[Segment], parent: &'e str, operations: &mut Vec<PatchOperation>) -> &'e str {
        let is_same =
            |known: &[Segment]| known.len() == steps.len() && known.iter().map(token).eq(steps.iter().map(token));
        if let Some((_, text)) = self.known.iter().find(|(known, _)| is_same(known)) {
            return text;
        }
        let held = steps.last().and_then(|last| field(parent, &token(last)));
        let text = held.unwrap_or_else(|| {
            operations.push(add(steps, Value::Object(Map::new())));
            "{}"
        });
        self.known.push((steps.to_vec(), text));
        text
    }
}

/// `add` also replaces an existing value (RFC 6902, 4.1).
fn add(steps: &[Segment], value: Value) -> PatchOperation {
    PatchOperation::Add(AddOperation {
        path: PointerBuf::from_tokens(steps.iter().map(|step| token(step).into_owned())),
        value,
    })
}

fn token(segment: &Segment) -> Cow<'_, str> {
    match segment {
        Segment::Field(name) => Cow::Borrowed(name),
        Segment::Index(index) => Cow::Owned(index.to_string()),
        Segment::Key(key) => Cow::Borrowed(key),
    }
}
