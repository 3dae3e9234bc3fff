//! An object of one of our kinds, as a file or a live cluster holds it.

use std::path::Path;
use std::sync::Arc;

use portcullis_core::kinds::{DecodeError, Object, ObjectRef, Partial};

/// An object of one of our kinds, as a file holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The file.
    pub file: Arc<Path>,
    /// The object's place; for one whose name is still to be made its prefix, which a folder makes unique.
    pub object_ref: ObjectRef,
    /// The prefix of a name that the API server is to make.
    pub prefix: Option<Box<str>>,
    /// The object as JSON, with a namespace where its kind has one.
    pub json: Arc<str>,
}

impl Manifest {
    /// The object, or what cannot be read of it where that decides who gets which traffic.
    pub fn object(&self) -> Result<Object<'_>, Vec<DecodeError>> {
        Partial::read(self.object_ref.kind, &self.json).decided(self.object_ref.kind)
    }
}
