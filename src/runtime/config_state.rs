//! Which configuration is in effect, as operators see it.

use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};

use crate::server::{HealthCondition, Level};
use portcullis_core::checks::Plan;
use portcullis_core::config::ConfigFile;
use portcullis_core::finding::Action;

/// What identifies a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigId {
    /// The first 12 digits of the SHA-256 of its files, one after the other, as `sha256sum` prints it; `built-in` without files.
    pub hash: String,
    /// Its profile.
    pub profile: String,
    /// Its `maxAction`, if it sets one.
    pub max_action: Option<Action>,
}

impl ConfigId {
    /// The identity of `plan`, which was read from `files`; there are none for the built-in configuration.
    pub fn of(files: Option<&[ConfigFile]>, plan: &Plan) -> Self {
        let hash = match files {
            Some(files) => {
                let text: String = files.iter().map(|file| file.text.as_str()).collect();
                short_hash(&text)
            }
            None => "built-in".to_owned(),
        };
        Self { hash, profile: plan.profile_name().to_owned(), max_action: plan.max_action() }
    }
}

/// The first 12 digits of the SHA-256, as `sha256sum` prints it.
pub(super) fn short_hash(text: &str) -> String {
    digest(&SHA256, text.as_bytes()).as_ref().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Display for ConfigId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hash {}, profile {}", self.hash, self.profile)?;
        self.max_action.map_or(Ok(()), |maximum| write!(f, ", maxAction {}", maximum.name()))
    }
}

/// The state of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigState {
    /// It is not known yet, for this reason: nothing can be reviewed.
    Unknown(String),
    /// The newest version is in effect.
    Newest(ConfigId),
    /// The built-in configuration is in effect, since the ConfigMap of this name does not exist.
    BuiltIn(ConfigId, String),
    /// The newest version cannot be used, and another one is in effect.
    Fallback {
        /// The one in effect.
        id: ConfigId,
        /// Where it comes from.
        from: Fallback,
        /// What is wrong with the newest one.
        error: String,
    },
}

impl ConfigState {
    /// The configuration in effect, if it is known.
    pub fn id(&self) -> Option<&ConfigId> {
        match self {
            Self::Unknown(_) => None,
            Self::Newest(id) | Self::BuiltIn(id, _) | Self::Fallback { id, .. } => Some(id),
        }
    }

    /// Whether the newest version cannot be used.
    pub fn is_broken(&self) -> bool {
        matches!(self, Self::Fallback { .. })
    }

    /// What `/readyz` shows.
    pub fn condition(&self) -> HealthCondition {
        let (level, message) = match self {
            Self::Unknown(reason) => (Level::Failing, reason.clone()),
            Self::Newest(id) => (Level::Ok, id.to_string()),
            Self::BuiltIn(id, name) => (Level::Ok, format!("{id}; ConfigMap {name} does not exist")),
            Self::Fallback { id, from, error } => (Level::Degraded, format!("using {from}: {error} (in effect: {id})")),
        };
        HealthCondition { name: "config".to_owned(), level, message }
    }
}

/// Where a configuration comes from that is in effect instead of the newest version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fallback {
    /// It was in effect before.
    Before,
    /// From the ConfigMap of this name.
    LastGood(String),
    /// It is built in.
    BuiltIn,
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Before => f.write_str("the last valid version"),
            Self::LastGood(name) => write!(f, "the last good version from ConfigMap {name}"),
            Self::BuiltIn => f.write_str("the built-in configuration, because no last good version can be used"),
        }
    }
}
