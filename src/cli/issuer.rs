//! Certificates that Portcullis issues itself: the options of the processes that serve them and that keep the CA.

use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use clap::Args;

use super::ClusterArgs;
use super::duration::parse_duration;
use crate::issuer::rotation::RotationSettings;
use crate::issuer::{Issuer, IssuerOptions};
use crate::lease::Leadership;
use crate::runtime::Supervisor;
use crate::telemetry::IssuerMetrics;

/// The options of the CA and of what it signs.
#[derive(Debug, Args)]
pub struct IssuerArgs {
    /// Issue serving certificates from the CA in this Secret of the own namespace, which is created if missing, and keep the caBundle
    /// of the webhook configurations up to date.
    #[arg(long, value_name = "NAME", group = "webhook_writer")]
    ca_secret: Option<String>,
    /// With --ca-secret: the ValidatingWebhookConfiguration and the MutatingWebhookConfiguration whose caBundle is written. With
    /// --enforce: the former is the one whose failurePolicy is set.
    #[arg(long, value_name = "NAME", default_value = "portcullis", requires = "webhook_writer")]
    webhook_configurations: String,
    /// With --ca-secret: the Service of the own namespace by which the API server calls the webhooks.
    #[arg(long, value_name = "NAME", default_value = "portcullis", requires = "ca_secret")]
    service: String,
    /// How long the CA lives.
    #[arg(long, hide = true, value_parser = parse_duration, default_value = "8760h")]
    ca_lifetime: Duration,
    /// How long a serving certificate lives.
    #[arg(long, hide = true, value_parser = parse_duration, default_value = "168h")]
    leaf_lifetime: Duration,
    /// How long a new CA is published before its certificates are served.
    #[arg(long, hide = true, value_parser = parse_duration, default_value = "60s")]
    ca_settle: Duration,
}

/// What an issuer needs of its process.
pub struct IssuerContext<'c> {
    /// The cluster with the Secret.
    pub cluster: &'c ClusterArgs,
    /// The election of the one that changes the Secret.
    pub leadership: Leadership,
    /// Where it counts.
    pub metrics: &'c IssuerMetrics,
}

impl IssuerArgs {
    /// Whether the certificates are issued by this process, so that it has metrics of that.
    pub const fn is_given(&self) -> bool {
        self.ca_secret.is_some()
    }

    /// The name of the webhook configurations that this process writes.
    pub fn webhook_configurations(&self) -> &str {
        &self.webhook_configurations
    }

    /// Starts the issuer, if there is one, which writes nothing if it `is_read_only`.
    pub async fn start(
        &self,
        is_read_only: bool,
        context: IssuerContext<'_>,
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<Option<Arc<Issuer>>> {
        let Some(secret) = self.ca_secret.clone() else { return Ok(None) };
        let terms = RotationSettings { authority: self.ca_lifetime, leaf: self.leaf_lifetime, settle: self.ca_settle };
        // A third of the CA's life is left when it is rotated. Until it ends, its successor must be published, and the last
        // certificate that it signed must expire.
        let enough = self.ca_lifetime / 3 >= self.leaf_lifetime + 2 * self.ca_settle;
        ensure!(enough, "--ca-lifetime must be at least 3 × --leaf-lifetime + 6 × --ca-settle");
        let IssuerContext { cluster, leadership, metrics } = context;
        let (configurations, service) = (self.webhook_configurations.clone(), self.service.clone());
        let options = IssuerOptions { secret, configurations, service, terms, is_read_only };
        let issuer = Arc::new(Issuer::new(cluster.watching_client().await?, options, leadership, metrics.clone()));
        let task = Arc::clone(&issuer);
        supervisor.spawn("certificate issuer", async move { task.start().await });
        Ok(Some(issuer))
    }
}
