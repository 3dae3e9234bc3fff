//! Manifests on disk: YAML or JSON, many documents to a file, `List`s opened; objects of our kinds, as JSON text with the file they are from.

mod chunks;
mod copies;
mod document;
mod folder;
mod knowledge;
mod lookalike;
mod manifest;
mod text;
mod unread;
mod walk;
mod words;

pub use copies::Copies;
pub use folder::{Folder, Problem};
pub use lookalike::Lookalike;
pub use manifest::{Contents, Manifest, parse, read};
pub use unread::{Cause, Unread};
