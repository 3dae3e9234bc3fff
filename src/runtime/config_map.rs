//! Puts each version of the configuration in a ConfigMap into effect, and finds something to run on where there is none.

use std::time::Duration;

use tokio::sync::watch::{Receiver, Sender};

use super::config_events::UnusableVersion;
use super::config_state::{ConfigId, Fallback};
use super::configuration::ConfigTarget;
use crate::config_map::{ConfigMapContent, ConfigTexts, GoodVersion, LastGood, files};
use crate::lease::Moment;
use crate::telemetry::LastFailure;

/// How long to wait before the last good version is asked for again.
const PAUSE: Duration = Duration::from_secs(1);

/// The parts that a new configuration concerns.
pub struct ConfigMapReloader {
    /// The name of the ConfigMap.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// What its watch has found.
    pub content: Receiver<Option<ConfigMapContent>>,
    /// The copy to run on where the first version that is found cannot be used.
    pub last_good: LastGood,
    /// What the configuration is for.
    pub target: ConfigTarget,
    /// Receives each valid version.
    pub good: Sender<Option<GoodVersion>>,
    /// Receives each version that cannot be used, and `None` as soon as there is a newer one.
    pub unusable: Sender<Option<UnusableVersion>>,
}

impl ConfigMapReloader {
    /// Puts each valid version into effect, without end. An invalid one is reported, and what was in effect before stays. Where nothing was,
    /// the last good version is used, or the built-in configuration.
    pub async fn run(mut self) {
        let mut in_effect = None;
        loop {
            let newest = self.content.borrow_and_update().clone();
            if let Some(newest) = newest {
                in_effect = self.take(&newest, in_effect).await;
            }
            if self.content.changed().await.is_err() {
                return;
            }
        }
    }

    /// What is in effect after this version was found, and where it comes from.
    async fn take(
        &self,
        newest: &ConfigMapContent,
        in_effect: Option<(ConfigId, Fallback)>,
    ) -> Option<(ConfigId, Fallback)> {
        self.unusable.send_replace(None);
        let error = match self.load(newest, &self.name) {
            Ok((texts, id)) => {
                self.confirm(texts, &id);
                return Some((id, Fallback::Before));
            }
            Err(error) => error,
        };
        let (id, from) = match in_effect {
            Some(in_effect) => in_effect,
            // Rights that are missing at the start stop the rollout, in which other replicas still have theirs.
            None if *newest == ConfigMapContent::Forbidden => {
                self.target.show_unknown(error);
                return None;
            }
            None => self.fall_back(newest).await?,
        };
        // A cluster that has never had a ConfigMap has chosen the built-in configuration.
        if *newest == ConfigMapContent::Absent && from == Fallback::BuiltIn {
            tracing::info!(config_map = self.name, "the ConfigMap does not exist; using the built-in configuration");
            self.target.show_built_in(&id, &format!("{}/{}", self.namespace, self.name));
            return Some((id, from));
        }
        tracing::error!(config_map = self.name, error, "configuration cannot be used; using {from}");
        // What may not be read has no fault of its own.
        if *newest != ConfigMapContent::Forbidden {
            self.unusable.send_replace(Some(UnusableVersion { content: newest.clone(), error: error.clone() }));
        }
        self.target.show_fallback(&id, &from, error);
        Some((id, from))
    }

    /// Puts into effect what was found in the ConfigMap `name`, and returns its texts, too. The error says what is wrong with it.
    fn load<'a>(&self, content: &'a ConfigMapContent, name: &str) -> Result<(&'a ConfigTexts, ConfigId), String> {
        let texts = content.texts(name)?;
        Ok((texts, self.target.load(&files(texts))?))
    }

    /// Reports that the newest version is in effect.
    fn confirm(&self, texts: &ConfigTexts, id: &ConfigId) {
        self.target.show_newest(id);
        tracing::info!(config_map = self.name, hash = id.hash, profile = id.profile, "configuration loaded");
        self.good.send_if_modified(|good| {
            // One that is repaired as it was before was in effect all the time.
            let is_new = good.as_ref().is_none_or(|good| good.texts != *texts);
            if is_new {
                *good = Some(GoodVersion { texts: texts.clone(), since: Moment::now() });
            }
            is_new
        });
    }

    /// Puts the last good version into effect, else the built-in configuration. None if the ConfigMap changes before that is decided.
    async fn fall_back(&self, newest: &ConfigMapContent) -> Option<(ConfigId, Fallback)> {
        let stored = self.read_last_good().await?;
        match self.load(&stored, self.last_good.name()) {
            Ok((_, id)) => Some((id, Fallback::LastGood(self.last_good.name().to_owned()))),
            Err(error) => {
                // Without a ConfigMap, none is expected.
                if *newest != ConfigMapContent::Absent || stored != ConfigMapContent::Absent {
                    let config_map = self.last_good.name();
                    tracing::error!(config_map, error, "the last good configuration is missing or unusable");
                }
                Some((self.target.load_initial(None), Fallback::BuiltIn))
            }
        }
    }

    /// Reads the last good version until that succeeds. None if the ConfigMap changes before.
    async fn read_last_good(&self) -> Option<ConfigMapContent> {
        let (name, mut failure) = (self.last_good.name(), LastFailure::default());
        loop {
            match self.last_good.read().await {
                Ok(stored) => return Some(stored),
                Err(error) => {
                    if failure.record(&error) {
                        tracing::warn!(
                            config_map = name,
                            error,
                            "the last good configuration cannot be read; retrying"
                        );
                        self.target.show_unknown(format!("ConfigMap {name} cannot be read: {error}"));
                    }
                }
            }
            tokio::time::sleep(PAUSE).await;
            if self.content.has_changed().unwrap_or(true) {
                return None;
            }
        }
    }
}
