//! Reads a configuration from one or several files.

use std::sync::Arc;

use serde::Deserialize;

use super::document::{self, Loader, Node, Recovered};
use super::{API_VERSION, Config, ConfigError, ConfigErrors, KIND};

/// What is wrong with the manifest of a ConfigMap that contains a configuration.
const CONFIG_MAP: &str = "this is a ConfigMap, not a configuration: give the text of its key as a file, or the name of a ConfigMap in \
                          the cluster with --config-map";

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
    /// The configuration, without the parts that contain an error, and without files that cannot be read.
    pub config: Option<Config>,
    /// All errors in the form of the files, in their order.
    pub errors: Vec<ConfigError>,
    /// What else to know about a configuration with errors.
    pub remains: Remains,
}

/// What an invalid configuration contains besides the errors in its form. What an entry lacks is an error only if all of the entry could be
/// read.
#[derive(Debug, Default)]
pub struct Remains {
    /// The entries without an error in their form.
    pub sound: Option<Config>,
    /// Whether every file could be read, so that nothing is missing that only one of them sets.
    pub has_all_files: bool,
    /// The settings of checks (ids, `family/*` or `*`) of which a part could not be read.
    pub unread_checks: Vec<String>,
}

impl ReadConfig {
    /// Reads the files as one configuration: maps are merged by key, lists are appended in the order of the files, and what is neither
    /// must be the same wherever it is set.
    pub fn of(files: &[ConfigFile]) -> Self {
        let (mut loader, mut errors, mut merged) = (Loader::default(), Vec::new(), None::<Node>);
        let mut has_all_files = !files.is_empty();
        for file in files {
            match loader.load(file.name.as_ref(), &file.text) {
                Ok((mut root, faults)) => {
                    errors.extend(faults);
                    if root.get("kind").and_then(Node::text) == Some("ConfigMap") {
                        has_all_files = false;
                        errors.push(ConfigError::new(CONFIG_MAP.to_owned(), root.at));
                        continue;
                    }
                    let headless = header_errors(&root, API_VERSION, KIND);
                    let is_foreign = files.len() > 1 && (headless.len() > 1 || !root.is_map());
                    has_all_files &= !is_foreign;
                    // What is wrong with the head is reported once, and hides nothing else.
                    root.set("apiVersion", API_VERSION);
                    root.set("kind", KIND);
                    errors.extend(headless);
                    match &mut merged {
                        // What says that it is something else says nothing about the configuration.
                        _ if is_foreign => {}
                        Some(merged) => document::merge(merged, root, "", &mut errors),
                        None => merged = Some(root),
                    }
                }
                Err(error) => {
                    has_all_files = false;
                    errors.push(error);
                }
            }
        }
        let (mut config, mut remains) = (None, Remains { has_all_files, ..Remains::default() });
        if let Some(root) = merged.filter(Node::is_map) {
            let Recovered { value, sound, faulty, errors: faults } = document::deserialize(&root);
            errors.extend(faults.into_iter().filter(|fault| !errors.contains(fault)).collect::<Vec<_>>());
            remains.sound = sound.or_else(|| value.clone());
            let of_checks = faulty.into_iter().filter(|keys| keys.first().is_some_and(|key| key == "checks"));
            remains.unread_checks =
                of_checks.map(|keys| keys.get(1).cloned().unwrap_or_else(|| "*".to_owned())).collect();
            config = value;
        }
        errors.sort_by(|left, right| left.at.cmp(&right.at));
        errors.dedup();
        Self { config, errors, remains }
    }
}

/// Reads a document of another kind, with all errors in its form.
pub fn read_document<T: for<'n> Deserialize<'n>>(
    file: Option<&Arc<str>>,
    text: &str,
    api_version: &str,
    kind: &str,
) -> Result<T, ConfigErrors> {
    let (root, mut errors) = Loader::default().load(file, text).map_err(|error| ConfigErrors(vec![error]))?;
    errors.extend(header_errors(&root, api_version, kind));
    let mut value = None;
    if errors.is_empty() {
        let recovered = document::deserialize(&root);
        value = recovered.value;
        errors.extend(recovered.errors);
    }
    errors.sort_by(|left, right| left.at.cmp(&right.at));
    match value {
        Some(value) if errors.is_empty() => Ok(value),
        _ => Err(ConfigErrors(errors)),
    }
}

/// The errors in the first two lines, which say what a file contains.
fn header_errors(root: &Node, api_version: &str, kind: &str) -> Vec<ConfigError> {
    if !root.is_map() {
        let message = format!("the file must be a map that begins with `apiVersion: {api_version}`");
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
    [("apiVersion", api_version), ("kind", kind)].into_iter().filter_map(error).collect()
}
