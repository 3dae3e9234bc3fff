//! An object of a supported kind, from a file or from a live cluster.

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use portcullis_core::kinds::{DecodeError, Object, ObjectRef, Partial};
use serde_json::Value;

/// An object of a supported kind, from a file or from a live cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The file, or `cluster` for an object of a live cluster.
    pub file: Arc<Path>,
    /// The reference to the object. If the object has only a `generateName`, the name is that prefix until the folder
    /// makes it unique.
    pub object_ref: ObjectRef,
    /// The `generateName` of an object without a name.
    pub prefix: Option<Box<str>>,
    /// Whether it names no namespace, so that a tool may put it into any.
    pub lacks_namespace: bool,
    /// The object as JSON, including a namespace if its kind is namespaced.
    pub json: Arc<str>,
    /// Where the object is written in the file.
    pub origin: Origin,
}

/// Where an object is written in its file. The default is an object of a live cluster.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Origin {
    /// The number of the document in the file, counted from 1.
    pub document: usize,
    /// The bytes of the document in the text of the file.
    pub bytes: Range<usize>,
    /// The index of the object in the document if that is a list, and in the list in that list, and so on.
    pub items: Vec<usize>,
}

impl Origin {
    /// The origin of the item `index` of the list at this origin.
    pub(super) fn item(&self, index: usize) -> Self {
        let items = self.items.iter().copied().chain([index]).collect();
        Self { items, ..self.clone() }
    }
}

impl Manifest {
    /// Whether the object is in a file.
    pub fn is_in_file(&self) -> bool {
        self.origin != Origin::default()
    }

    /// The same object with this creation time.
    pub fn with_creation_time(self, time: Timestamp) -> Self {
        let mut object: Value = serde_json::from_str(&self.json).unwrap_or_default();
        let Some(metadata) = object.get_mut("metadata").and_then(Value::as_object_mut) else { return self };
        metadata.insert("creationTimestamp".to_owned(), time.to_string().into());
        Self { json: object.to_string().into(), ..self }
    }

    /// The object. Fails with the errors of the decisive fields, which are those that decide which object gets which
    /// traffic.
    pub fn object(&self) -> Result<Object<'_>, Vec<DecodeError>> {
        Partial::read(self.object_ref.kind, &self.json).decided(self.object_ref.kind)
    }
}
