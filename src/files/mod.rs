//! Manifests on disk: YAML or JSON, many documents to a file, `List`s opened; objects of our kinds, as JSON text with the file they are from.

mod folder;
mod lookalike;
mod manifest;

pub use folder::{Folder, Problem};
pub use lookalike::Lookalike;
pub use manifest::{Contents, FileError, Manifest, parse, read};
