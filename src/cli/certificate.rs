//! Certificates of `portcullis serve`: where they come from, by its options.

use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use jiff::Timestamp;

use super::issuer::{IssuerArgs, IssuerContext};
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
    /// With --ca-secret: only read the Secret and the webhook configurations, which `portcullis maintain` writes.
    #[arg(long, requires = "ca_secret", conflicts_with = "enforce")]
    ca_read_only: bool,
    #[command(flatten)]
    issuer: IssuerArgs,
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
        if !self.issuer.is_given() {
            return self.files(supervisor).await;
        }
        let leadership = leadership.context("--ca-secret needs the election of a replica")?.clone();
        let context = IssuerContext { cluster, leadership, metrics };
        let issuer = self.issuer.start(self.ca_read_only, context, supervisor).await?;
        Ok(issuer.context("--ca-secret is given")?)
    }

    /// Whether the certificates are issued by this process, so that it has metrics of that.
    pub fn issues(&self) -> bool {
        self.issuer.is_given()
    }

    /// The name of the webhook configurations that this process writes.
    pub fn webhook_configurations(&self) -> &str {
        self.issuer.webhook_configurations()
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
        if let Err(problem) = files.certificate().healthy(Timestamp::now()) {
            tracing::warn!(problem, "clients do not accept the certificate");
        }
        let task = Arc::clone(&files);
        supervisor.spawn("certificate reloader", async move { task.start().await });
        Ok(files)
    }
}
