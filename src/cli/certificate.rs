//! Certificates of `portcullis serve`: where they come from, by its options.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;

use super::duration::parse_duration;
use crate::issuer::rotation::Terms;
use crate::issuer::{Issuer, IssuerOptions};
use crate::lease::Leadership;
use crate::runtime::Supervisor;
use crate::telemetry::IssuerMetrics;
use crate::tls::{CertificateSource, Files, authority};

/// The name by which the API server calls the webhook in the shipped manifests.
const SERVICE: &str = "portcullis.portcullis.svc";

/// The options that say where the serving certificate comes from.
#[derive(Debug, Args)]
pub struct CertificateArgs {
    /// The folder of the development certificates; they are created if missing.
    #[arg(long, value_name = "DIR", default_value = "certs", conflicts_with_all = ["tls_cert", "tls_key", "ca_secret"])]
    cert_dir: PathBuf,
    /// An additional name for the development certificate.
    #[arg(long, value_name = "NAME", conflicts_with = "ca_secret")]
    cert_name: Vec<String>,
    /// The serving certificate (PEM); reloaded when it changes.
    #[arg(long, value_name = "FILE", requires = "tls_key", conflicts_with = "ca_secret")]
    tls_cert: Option<PathBuf>,
    /// The key of the serving certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_cert", conflicts_with = "ca_secret")]
    tls_key: Option<PathBuf>,
    /// Issue serving certificates from the CA in this Secret of the own namespace, which is created if missing, and keep the caBundle
    /// of the webhook configurations up to date.
    #[arg(long, value_name = "NAME", conflicts_with = "objects", group = "webhook_writer")]
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

impl CertificateArgs {
    /// The source of certificates, which a task keeps up to date. One that issues them needs an election.
    pub async fn source(
        &self,
        cluster: &super::ClusterArgs,
        leadership: Option<&Leadership>,
        metrics: &IssuerMetrics,
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<Arc<dyn CertificateSource>> {
        let Some(secret) = &self.ca_secret else { return self.files(supervisor).await };
        let leadership = leadership.context("--ca-secret needs the election of a replica")?.clone();
        self.issuer(secret, cluster, leadership, metrics, supervisor).await
    }

    /// Whether the certificates are issued by this process, so that it has metrics of that.
    pub fn issues(&self) -> bool {
        self.ca_secret.is_some()
    }

    /// The name of the webhook configurations that this process writes.
    pub fn webhook_configurations(&self) -> &str {
        &self.webhook_configurations
    }

    async fn issuer(
        &self,
        secret: &str,
        cluster: &super::ClusterArgs,
        leadership: Leadership,
        metrics: &IssuerMetrics,
        supervisor: &mut Supervisor,
    ) -> anyhow::Result<Arc<dyn CertificateSource>> {
        let terms = Terms { authority: self.ca_lifetime, leaf: self.leaf_lifetime, settle: self.ca_settle };
        // A third of the CA's life is left when it is rotated. Until it ends, its successor must be published, and the last
        // certificate that it signed must expire.
        let enough = self.ca_lifetime / 3 >= self.leaf_lifetime + 2 * self.ca_settle;
        ensure!(enough, "--ca-lifetime must be at least 3 × --leaf-lifetime + 6 × --ca-settle");
        let client = cluster.watching_client().await?;
        let options = IssuerOptions {
            secret: secret.to_owned(),
            configurations: self.webhook_configurations.clone(),
            service: self.service.clone(),
            terms,
        };
        let issuer = Arc::new(Issuer::new(client, options, leadership, metrics.clone()));
        let task = Arc::clone(&issuer);
        supervisor.spawn("certificate issuer", async move { task.start().await });
        Ok(issuer)
    }

    async fn files(&self, supervisor: &mut Supervisor) -> anyhow::Result<Arc<dyn CertificateSource>> {
        let (certificate, key) = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => (certificate.clone(), key.clone()),
            _ => {
                let mut names = self.cert_name.clone();
                names.push(SERVICE.to_owned());
                let paths = authority::ensure(&self.cert_dir, &names)?;
                (paths.certificate, paths.key)
            }
        };
        let files = Arc::new(Files::open(certificate, key, Files::INTERVAL).await?);
        let task = Arc::clone(&files);
        supervisor.spawn("certificate reloader", async move { task.start().await });
        Ok(files)
    }
}
