//! An object of one of our kinds, as a file or a live cluster holds it.

use std::path::Path;
use std::sync::Arc;

use portcullis_core::kinds::{Misfit, Object, ObjectRef, Partial};

/// An object of one of our kinds, as a file holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The file.
    pub file: Arc<Path>,
    /// The object's place; for one whose name is still to be made its prefix, which a folder makes unique.
    pub place: ObjectRef,
    /// The prefix of a name that the API server is to make.
    pub prefix: Option<Box<str>>,
    /// The object as JSON, with a namespace where its kind has one.
    pub json: Arc<str>,
}

impl Manifest {
    /// The object, or what cannot be read of it where that decides who gets which traffic.
    pub fn object(&self) -> Result<Object<'_>, Vec<Misfit>> {
        Partial::read(self.place.kind, &self.json).decided(self.place.kind)
    }
}
