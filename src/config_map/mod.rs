//! The configuration in a ConfigMap of the own namespace, and the copy of its last good version.
//!
//! `source` watches the ConfigMap, so that a change is known to all replicas at once; the kubelet would bring it to the files of each
//! pod within a minute. `last_good` keeps a copy of what was in effect for a while, so that a pod that starts while the ConfigMap is
//! broken has something to run on.

pub mod last_good;
mod source;

use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;

use crate::files::is_configuration_name;
use portcullis_core::config::ConfigFile;

pub use last_good::{GoodVersion, LastGood};
pub use source::follow;

/// The texts of a configuration, by key.
pub type ConfigTexts = BTreeMap<String, String>;

/// What is known of a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigMapContent {
    /// The texts under the keys that end in `.yaml`, `.yml` or `.json`.
    Texts(ConfigTexts),
    /// The ConfigMap has no such key.
    NoKey,
    /// The ConfigMap does not exist.
    Absent,
    /// It may not be read.
    Forbidden,
}

impl ConfigMapContent {
    fn of(map: Option<ConfigMap>) -> Self {
        let Some(map) = map else { return Self::Absent };
        let mut texts = map.data.unwrap_or_default();
        texts.retain(|key, _| is_configuration_name(key));
        if texts.is_empty() { Self::NoKey } else { Self::Texts(texts) }
    }

    /// The texts, or why there are none in the ConfigMap `name`.
    pub fn texts(&self, name: &str) -> Result<&ConfigTexts, String> {
        match self {
            Self::Texts(texts) => Ok(texts),
            Self::NoKey => Err(format!("ConfigMap {name} has no key that ends in .yaml, such as config.yaml")),
            Self::Absent => Err(format!("ConfigMap {name} does not exist")),
            Self::Forbidden => Err(format!("ConfigMap {name} is not readable (RBAC)")),
        }
    }
}

/// The texts as files, in the order of their keys. A single one has no name.
pub fn files(texts: &ConfigTexts) -> Vec<ConfigFile> {
    let name = |key: &String| (texts.len() > 1).then(|| key.as_str().into());
    texts.iter().map(|(key, text)| ConfigFile { name: name(key), text: text.clone() }).collect()
}

/// What is wrong with the configuration in the ConfigMap `name`, given as JSON, which `parse` parses.
pub fn faults(json: &str, name: &str, parse: impl Fn(&[ConfigFile]) -> anyhow::Result<()>) -> Vec<String> {
    let Ok(map) = serde_json::from_str::<ConfigMap>(json) else { return Vec::new() };
    let faults = match ConfigMapContent::of(Some(map)).texts(name) {
        Ok(texts) => parse(&files(texts)).err().map(|error| format!("{error:#}")),
        Err(missing) => Some(missing),
    };
    faults.iter().flat_map(|faults| faults.lines()).map(str::to_owned).collect()
}

/// Reads the ConfigMap `name` once.
pub async fn read(maps: &Api<ConfigMap>, name: &str) -> Result<ConfigMapContent, kube::Error> {
    match maps.get_opt(name).await {
        Err(kube::Error::Api(status)) if status.code == 403 => Ok(ConfigMapContent::Forbidden),
        read => read.map(ConfigMapContent::of),
    }
}
