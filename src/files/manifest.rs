//! An object of a supported kind, from a file or from a live cluster.

use std::path::Path;
use std::sync::Arc;

use portcullis_core::kinds::{DecodeError, Object, ObjectRef, Partial};

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
    /// The object as JSON, including a namespace if its kind is namespaced.
    pub json: Arc<str>,
}

impl Manifest {
    /// The object. Fails with the errors of the decisive fields, which are those that decide which object gets which
    /// traffic.
    pub fn object(&self) -> Result<Object<'_>, Vec<DecodeError>> {
        Partial::read(self.object_ref.kind, &self.json).decided(self.object_ref.kind)
    }
}
