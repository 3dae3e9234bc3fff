//! The configuration of the commands that check the objects of a cluster: a file, or the ConfigMap of the webhook.

use clap::{ArgGroup, Args};
use kube::Api;

use super::namespaced_name::parse_namespaced_name;
use super::{ClusterArgs, ConfigArgs};
use crate::config_map;
use portcullis_core::checks::Plan;

/// The configuration and the profile.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("configuration").args(["config", "config_map"]))]
pub(super) struct PlanArgs {
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    stored: StoredConfigArgs,
    /// Use this profile instead of the one in the configuration.
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
}

/// The configuration of the webhook in a cluster.
#[derive(Debug, Args)]
pub(super) struct StoredConfigArgs {
    /// Use the configuration of the webhook, from the keys of this ConfigMap that end in `.yaml`, such as portcullis/portcullis.
    #[arg(long, value_name = "NAMESPACE/NAME", value_parser = parse_namespaced_name)]
    config_map: Option<(String, String)>,
}

impl PlanArgs {
    /// The plan. Asks the cluster only for a ConfigMap.
    pub(super) fn plan(&self, cluster: &ClusterArgs) -> anyhow::Result<Plan> {
        self.config.or_stored(&self.stored, self.profile.as_deref(), cluster)
    }
}

impl StoredConfigArgs {
    /// What messages call the configuration; `None` if no ConfigMap is given.
    pub(super) fn title(&self) -> Option<String> {
        self.config_map.as_ref().map(|(namespace, name)| format!("ConfigMap {namespace}/{name}"))
    }

    /// The plan of the ConfigMap, if one is given, with what the options in `config` override.
    pub(super) fn plan(
        &self,
        config: &ConfigArgs,
        profile: Option<&str>,
        cluster: &ClusterArgs,
    ) -> anyhow::Result<Option<Plan>> {
        let Some((namespace, name)) = &self.config_map else { return Ok(None) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let content = runtime.block_on(async {
            let api = cluster.client().await?;
            let read = config_map::read(&Api::namespaced(api.client().clone(), namespace), name).await;
            anyhow::Ok(read.map_err(|error| api.error(&format!("reading ConfigMap {namespace}/{name}"), &error))?)
        })?;
        let texts = content.texts(name).map_err(|error| anyhow::anyhow!("namespace {namespace}: {error}"))?;
        let named = |error: anyhow::Error| anyhow::anyhow!("ConfigMap {namespace}/{name}: {error:#}");
        config.plan_of(&config_map::files(texts), profile).map(Some).map_err(named)
    }
}
