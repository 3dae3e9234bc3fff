//! Which configuration is in effect, as operators see it.

use std::fmt;

use aws_lc_rs::digest::{SHA256, digest};

use crate::server::{HealthCondition, Level};
use portcullis_core::checks::Plan;

/// What identifies a configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigId {
    /// The first 12 digits of the SHA-256 of its text, as `sha256sum` prints it; `built-in` without a text.
    pub hash: String,
    /// Its profile.
    pub profile: String,
}

impl ConfigId {
    /// The identity of `plan`, which was parsed from `text`; `text` is none for the built-in configuration.
    pub fn of(text: Option<&str>, plan: &Plan) -> Self {
        let hash = match text {
            Some(text) => {
                let digest = digest(&SHA256, text.as_bytes());
                digest.as_ref().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
            }
            None => "built-in".to_owned(),
        };
        let profile = plan.config().profile.as_ref().map_or("baseline", |profile| profile.as_str()).to_owned();
        Self { hash, profile }
    }
}

impl fmt::Display for ConfigId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "hash {}, profile {}", self.hash, self.profile)
    }
}

/// The state of the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConfigState {
    /// It is not known yet, for this reason: nothing can be reviewed.
    Unknown(String),
    /// The newest version is in effect.
    Newest(ConfigId),
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

impl ConfigState {
    /// The configuration in effect, if it is known.
    pub fn id(&self) -> Option<&ConfigId> {
        match self {
            Self::Unknown(_) => None,
            Self::Newest(id) | Self::Fallback { id, .. } => Some(id),
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
            Self::Fallback { id, from, error } => (Level::Degraded, format!("using {from}: {error} (in effect: {id})")),
        };
        HealthCondition { name: "config".to_owned(), level, message }
    }
}
