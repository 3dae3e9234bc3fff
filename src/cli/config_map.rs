//! The configuration of `portcullis serve`: from a file, a ConfigMap, or built in.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use kube::Client;
use tokio::sync::watch;

use super::ConfigArgs;
use super::duration::parse_duration;
use crate::config_map::{self, LastGood};
use crate::lease::Leadership;
use crate::runtime::{ConfigId, ConfigMapReloader, ConfigState, Readiness, Supervisor, reload};
use portcullis_core::review::Reviewer;

/// The options for a configuration in a ConfigMap.
#[derive(Debug, Args)]
pub struct ConfigMapArgs {
    /// Read the configuration from the key `config.yaml` of this ConfigMap in the own namespace, and follow its changes. The last
    /// version that was in effect for a minute is kept in the ConfigMap NAME-last-good, for pods that start while it is broken.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["config", "objects"])]
    config_map: Option<String>,
    /// How long a version must be in effect before it is kept as the last good one.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "60s", hide = true)]
    config_settle: Duration,
}

/// What a configuration concerns.
pub(super) struct Follow<'a> {
    pub args: &'a ConfigArgs,
    /// Used instead of the profile of each version.
    pub profile: Option<String>,
    pub reviewer: &'a Arc<Reviewer>,
    pub readiness: &'a Arc<Readiness>,
    pub supervisor: &'a mut Supervisor,
}

impl Follow<'_> {
    /// Follows the configuration file, of which the text is in effect now; without one, the built-in configuration stays in effect.
    pub(super) fn file(self, file: Option<&Path>, text: Option<String>) {
        let (Some(file), Some(text)) = (file, text) else {
            return self.readiness.config(ConfigState::Newest(ConfigId::of(None, &self.reviewer.plan())));
        };
        let (args, profile) = (self.args.clone(), self.profile);
        let parse = move |text: &str| args.plan_of(text, profile.as_deref());
        let (reviewer, readiness) = (Arc::clone(self.reviewer), Arc::clone(self.readiness));
        let reloading = reload::config(file.to_owned(), text, parse, reviewer, readiness);
        self.supervisor.spawn("configuration reloader", reloading);
    }
}

impl ConfigMapArgs {
    /// Whether the configuration is in a ConfigMap.
    pub(super) fn is_given(&self) -> bool {
        self.config_map.is_some()
    }

    /// Follows the ConfigMap, if one is given.
    pub(super) fn follow(&self, follow: Follow<'_>, client: &Client, leadership: Leadership) {
        let Some(name) = self.config_map.clone() else { return };
        let (args, profile) = (follow.args.clone(), follow.profile);
        let last_good = LastGood::new(client.clone(), &name);
        let ((found, content), (good, versions)) = (watch::channel(None), watch::channel(None));
        follow.readiness.config(ConfigState::Unknown(format!("ConfigMap {name} is not read yet")));
        let reloader = ConfigMapReloader {
            name: name.clone(),
            content,
            last_good: last_good.clone(),
            parse: Box::new(move |text| args.plan_of(text, profile.as_deref())),
            reviewer: Arc::clone(follow.reviewer),
            readiness: Arc::clone(follow.readiness),
            good,
        };
        let supervisor = follow.supervisor;
        supervisor.spawn("configuration watch", config_map::follow(client.clone(), name, found));
        supervisor.spawn("configuration reloader", reloader.run());
        supervisor.spawn("last good configuration", last_good.keep(versions, leadership, self.config_settle));
    }
}
