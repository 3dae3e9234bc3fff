//! The configuration of `portcullis serve`: from a file, a ConfigMap, or built in.

use std::path::Path;
use std::time::Duration;

use clap::Args;
use kube::Client;
use tokio::sync::watch;

use super::duration::parse_duration;
use crate::config_map::{self, LastGood};
use crate::lease::Leadership;
use crate::runtime::{ConfigMapReloader, ConfigTarget, Supervisor, reload, report_unusable};
use crate::watch::ApiServer;
use portcullis_core::config::ConfigFile;

/// The options for a configuration in a ConfigMap.
#[derive(Debug, Args)]
pub struct ConfigMapArgs {
    /// Read the configuration from the keys of this ConfigMap in the own namespace that end in `.yaml`, and follow its changes. The last
    /// version that was in effect for a minute is kept in the ConfigMap NAME-last-good, for pods that start while it is broken.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["config", "objects"])]
    config_map: Option<String>,
    /// How long a version must be in effect before it is kept as the last good one.
    #[arg(long, value_name = "DURATION", value_parser = parse_duration, default_value = "60s", hide = true)]
    config_settle: Duration,
}

/// Follows the configuration in a file or a folder, which is in effect now; without one, the built-in configuration stays in effect.
pub(super) fn follow_file(
    file: Option<&Path>,
    files: Option<Vec<ConfigFile>>,
    target: ConfigTarget,
    supervisor: &mut Supervisor,
) {
    let (Some(file), Some(files)) = (file, files) else { return target.show_newest(&target.load_initial(None)) };
    supervisor.spawn("configuration reloader", reload::config(file.to_owned(), files, target));
}

impl ConfigMapArgs {
    /// Whether the configuration is in a ConfigMap.
    pub(super) fn is_given(&self) -> bool {
        self.config_map.is_some()
    }

    /// The name of the ConfigMap that holds the configuration.
    pub(super) fn name(&self) -> Option<&str> {
        self.config_map.as_deref()
    }

    /// Follows the ConfigMap, if one is given, with connections to `server` that are replaced after a network failure. `client` is for
    /// what is written: the copy, and Events about what cannot be used.
    pub(super) fn follow(
        &self,
        target: ConfigTarget,
        server: &ApiServer,
        client: Client,
        leadership: Leadership,
        supervisor: &mut Supervisor,
    ) {
        let Some(name) = self.config_map.clone() else { return };
        let namespace = client.default_namespace().to_owned();
        let last_good = LastGood::new(client.clone(), &name);
        let ((found, content), (good, versions)) = (watch::channel(None), watch::channel(None));
        let (unusable, reported) = watch::channel(None);
        target.show_unknown(format!("ConfigMap {name} is not read yet"));
        let copy = last_good.clone();
        let reloader =
            ConfigMapReloader { name: name.clone(), namespace, content, last_good: copy, target, good, unusable };
        supervisor.spawn("configuration Events", report_unusable(client, name.clone(), reported));
        supervisor.spawn("configuration watch", config_map::follow(server.client(), name, found));
        supervisor.spawn("configuration reloader", reloader.run());
        supervisor.spawn("last good configuration", last_good.keep(versions, leadership, self.config_settle));
    }
}
