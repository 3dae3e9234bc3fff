//! Reads a configuration from one or several files.

use std::sync::Arc;

use super::document::{self, Loader, Node, Recovered};
use super::{API_VERSION, Config, ConfigError, KIND};

/// A file of a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigFile {
    /// Its name in messages; `None` if nothing but this file is read and the reader knows it.
    pub name: Option<Arc<str>>,
    /// Its text.
    pub text: String,
}

/// What could be read of a configuration.
#[derive(Debug)]
pub struct ReadConfig {
    /// The configuration, without the entries that contain an error.
    pub config: Option<Config>,
    /// All errors in the form of the files, in their order.
    pub errors: Vec<ConfigError>,
}

impl ReadConfig {
    /// Reads the files as one configuration: maps are merged by key, lists are appended in the order of the files, and what is neither
    /// must be the same wherever it is set.
    pub fn of(files: &[ConfigFile]) -> Self {
        let (mut loader, mut errors, mut merged) = (Loader::default(), Vec::new(), None::<Node>);
        let mut is_complete = !files.is_empty();
        for file in files {
            match loader.load(file.name.as_ref(), &file.text) {
                Ok((root, faults)) => {
                    errors.extend(faults);
                    let headless = header_errors(&root);
                    let is_foreign = !headless.is_empty() && files.len() > 1;
                    is_complete &= headless.is_empty();
                    errors.extend(headless);
                    match &mut merged {
                        // What says that it is something else says nothing about the configuration.
                        _ if is_foreign => {}
                        Some(merged) => document::merge(merged, root, "", &mut errors),
                        None => merged = Some(root),
                    }
                }
                Err(error) => {
                    is_complete = false;
                    errors.push(error);
                }
            }
        }
        let mut config = None;
        if let Some(root) = merged.filter(Node::is_map) {
            let Recovered { value, errors: faults } = document::deserialize(&root);
            errors.extend(faults.into_iter().filter(|fault| !errors.contains(fault)).collect::<Vec<_>>());
            config = value.filter(|_| is_complete);
        }
        errors.sort_by(|left, right| left.at.cmp(&right.at));
        errors.dedup();
        Self { config, errors }
    }
}

/// The errors in the first two lines, which say that a file is a configuration.
fn header_errors(root: &Node) -> Vec<ConfigError> {
    if !root.is_map() {
        let message = format!("the file must be a map that begins with `apiVersion: {API_VERSION}`");
        return vec![ConfigError::new(message, root.at.clone())];
    }
    let error = |(field, wanted): (&str, &str)| match root.get(field) {
        None => Some(ConfigError::new(format!("missing field `{field}`"), root.at.clone())),
        Some(value) if value.text() == Some(wanted) => None,
        Some(value) => {
            let written = value.text().unwrap_or("a list or a map");
            Some(ConfigError::new(format!("{field} must be `{wanted}`, not `{written}`"), value.at.clone()))
        }
    };
    [("apiVersion", API_VERSION), ("kind", KIND)].into_iter().filter_map(error).collect()
}
