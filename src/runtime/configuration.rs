//! Puts configurations into effect, wherever their texts come from, and shows which one is.

use std::sync::Arc;

use super::config_state::{ConfigId, ConfigState, Fallback};
use super::readiness::Readiness;
use portcullis_core::checks::Plan;
use portcullis_core::config::ConfigFile;
use portcullis_core::review::Reviewer;

/// The reader of the files of a configuration.
type Parse = Box<dyn Fn(&[ConfigFile]) -> anyhow::Result<Plan> + Send + Sync>;

/// What a configuration is for.
pub struct ConfigTarget {
    parse: Parse,
    reviewer: Arc<Reviewer>,
    readiness: Arc<Readiness>,
}

impl ConfigTarget {
    /// Configurations for `reviewer`, whose files `parse` reads and whose state `readiness` shows.
    pub fn new(
        parse: impl Fn(&[ConfigFile]) -> anyhow::Result<Plan> + Send + Sync + 'static,
        reviewer: Arc<Reviewer>,
        readiness: Arc<Readiness>,
    ) -> Self {
        Self { parse: Box::new(parse), reviewer, readiness }
    }

    /// Puts the configuration in these files into effect. An invalid one changes nothing; the error says what is wrong with it, on one
    /// line.
    pub fn load(&self, files: &[ConfigFile]) -> Result<ConfigId, String> {
        let plan = (self.parse)(files).map_err(|error| format!("{error:#}").replace('\n', "; "))?;
        let id = ConfigId::of(Some(files), &plan);
        self.reviewer.follow(plan);
        Ok(id)
    }

    /// Puts into effect what the reviewer was created with: the configuration in these files, or the built-in one.
    pub fn load_initial(&self, files: Option<&[ConfigFile]>) -> ConfigId {
        self.reviewer.follow_current();
        ConfigId::of(files, &self.reviewer.plan())
    }

    /// Shows that no configuration is in effect yet, for this reason.
    pub fn show_unknown(&self, reason: String) {
        self.readiness.config(ConfigState::Unknown(reason));
    }

    /// Shows that the newest version is in effect.
    pub fn show_newest(&self, id: &ConfigId) {
        self.readiness.config(ConfigState::Newest(id.clone()));
    }

    /// Shows that the built-in configuration is in effect, since the ConfigMap of this name does not exist.
    pub fn show_built_in(&self, id: &ConfigId, name: &str) {
        self.readiness.config(ConfigState::BuiltIn(id.clone(), name.to_owned()));
    }

    /// Shows what is in effect instead of the newest version, and what is wrong with that.
    pub fn show_fallback(&self, id: &ConfigId, from: &Fallback, error: String) {
        self.readiness.config(ConfigState::Fallback { id: id.clone(), from: from.clone(), error });
    }
}
