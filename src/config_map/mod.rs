//! The configuration in a ConfigMap of the own namespace, and the copy of its last good version.
//!
//! `source` watches the ConfigMap, so that a change is known to all replicas at once; the kubelet would bring it to the files of each
//! pod within a minute. `last_good` keeps a copy of what was in effect for a while, so that a pod that starts while the ConfigMap is
//! broken has something to run on.

pub mod last_good;
mod source;

use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;

pub use last_good::{GoodVersion, LastGood};
pub use source::follow;

/// The key that holds the configuration.
pub const KEY: &str = "config.yaml";

/// What is known of a ConfigMap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigMapContent {
    /// The text under [`KEY`].
    Text(String),
    /// The ConfigMap has no such key.
    NoKey,
    /// The ConfigMap does not exist.
    Absent,
    /// It may not be read.
    Forbidden,
}

impl ConfigMapContent {
    fn of(map: Option<ConfigMap>) -> Self {
        match map.map(|map| map.data.unwrap_or_default().remove(KEY)) {
            Some(Some(text)) => Self::Text(text),
            Some(None) => Self::NoKey,
            None => Self::Absent,
        }
    }

    /// The text, or why there is none in the ConfigMap `name`.
    pub fn text(&self, name: &str) -> Result<&str, String> {
        match self {
            Self::Text(text) => Ok(text),
            Self::NoKey => Err(format!("ConfigMap {name} has no key {KEY}")),
            Self::Absent => Err(format!("ConfigMap {name} does not exist")),
            Self::Forbidden => Err(format!("ConfigMap {name} is not readable (RBAC)")),
        }
    }
}

/// Reads the ConfigMap `name` once.
pub async fn read(maps: &Api<ConfigMap>, name: &str) -> Result<ConfigMapContent, kube::Error> {
    match maps.get_opt(name).await {
        Err(kube::Error::Api(status)) if status.code == 403 => Ok(ConfigMapContent::Forbidden),
        read => read.map(ConfigMapContent::of),
    }
}
