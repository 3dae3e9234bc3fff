//! Manifests on disk: YAML or JSON files with any number of documents, including `List`s. The result is the objects of
//! the supported kinds as JSON text, each with its file.
//!
//! Files are read document by document (`chunks`), so one that cannot be read hides no other. A document that is not read is kept with its
//! cause (`unread`), also if it only may contain an object of a supported kind (`resemblance`): as long as there is one, no object of its
//! kind is known to be absent. A folder knows what is absent by kind and namespace (`knowledge`); a live view knows it by kind.

mod assertion;
mod build;
mod cause;
mod certificate;
mod chart;
mod chunks;
mod class_features;
mod config_map;
mod configuration;
mod contents;
mod copies;
mod crd;
mod created_classes;
mod creators;
mod document;
mod envsubst;
mod exclusion;
mod folder;
mod knowledge;
mod kustomization;
mod locator;
mod lookalike;
mod manifest;
mod open;

mod positions;
mod read;
mod referenced;
mod resemblance;
mod secret;
mod text;
mod unevaluated;
mod unread;
mod variable;
mod walk;
mod words;
mod worlds;

pub use build::{BuildTool, Builds};
pub use cause::UnreadCause;
pub use class_features::read_class_features;
pub use config_map::config_map_facts;
pub use configuration::{is_configuration_name, read_configuration};
pub use contents::FileContents;
pub use copies::DuplicateObject;
pub use envsubst::Variables;
pub use exclusion::Exclusion;
pub use folder::{Folder, Problem};
pub use locator::Locator;
pub use manifest::{Manifest, Origin};
pub use read::parse;
pub use secret::secret_facts;
pub use unevaluated::unevaluated;
pub use unread::Unread;
pub use variable::{is_variable, may_have_variables};
pub use words::some_of;
pub use worlds::Worlds;
